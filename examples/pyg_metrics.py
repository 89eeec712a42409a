"""Measures of how well scores tell true links from drawn ones, in PyTorch alone."""

from __future__ import annotations

import torch


def auc(score: torch.Tensor, label: torch.Tensor) -> float:
    """Area under the ROC curve: how often a true link scores more than another; ties count half."""
    values, place = score.double().unique(return_inverse=True)
    true = torch.bincount(place[label > 0], minlength=len(values)).double()
    false = torch.bincount(place[label <= 0], minlength=len(values)).double()
    below = false.cumsum(0) - false / 2
    return float((true * below).sum() / (true.sum() * false.sum()))


def average_precision(score: torch.Tensor, label: torch.Tensor) -> float:
    """Mean precision at the place of each true link; equal scores have one place."""
    values, place = score.double().unique(return_inverse=True)
    true = torch.bincount(place[label > 0], minlength=len(values)).double().flip(0)
    every = torch.bincount(place, minlength=len(values)).double().flip(0)
    precision = true.cumsum(0) / every.cumsum(0)
    return float((true * precision).sum() / true.sum())
