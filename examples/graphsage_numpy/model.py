"""GraphSAGE on sampled mini-batches, in NumPy alone: forward, backward, and Adam.

A batch comes from neighbour sampling: seeds are expanded hop by hop, nodes are numbered in the
order they are met (seeds first), and edges are listed hop by hop. Both orders make every hop a
prefix, so a network of L layers need not compute all nodes in all layers. The last layer serves
the seeds only and reads the edges of the first hop; the one before it serves the nodes within one
hop and reads the edges of the first two hops; and so on down to the first layer, which reads every
node's features. The counts per hop say where each prefix ends.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

Params = dict[str, np.ndarray]


@dataclass(frozen=True)
class Batch:
    """One sampled mini-batch. Edge i leads from local node row[i] to local node col[i]."""

    x: np.ndarray  # [nodes, features]
    row: np.ndarray  # [edges] source: the sampled neighbour
    col: np.ndarray  # [edges] target: the node whose neighbourhood was sampled
    num_sampled_nodes: Sequence[int]  # [hops + 1] seeds, then the nodes new in each hop
    num_sampled_edges: Sequence[int]  # [hops]
    y: np.ndarray | None = None  # [seeds] labels; not needed for predictions


class Neighbourhood:
    """The averaging of one layer: each of the first `num_targets` nodes over its sampled edges.

    Aggregator "mean" averages the neighbours. "gcn" averages the neighbours and the node itself,
    the inductive variant of GCN in the GraphSAGE paper.
    """

    def __init__(
        self, row: np.ndarray, col: np.ndarray, num_targets: int, aggregator: str, dtype: np.dtype
    ) -> None:
        if aggregator == "gcn":
            itself = np.arange(num_targets)
            row, col = np.concatenate([row, itself]), np.concatenate([col, itself])
        self.row, self.col, self.num_targets = row, col, num_targets
        # The sampled degree. Where there is no neighbour the sum is zero, and so is the average.
        degree = np.maximum(np.bincount(col, minlength=num_targets), 1)
        self.degree = degree[:, None].astype(dtype)

    def average(self, source: np.ndarray) -> np.ndarray:
        total = np.zeros((self.num_targets, source.shape[1]), source.dtype)
        np.add.at(total, self.col, source[self.row])
        return total / self.degree

    def spread(self, grad: np.ndarray, num_sources: int) -> np.ndarray:
        """The transpose of average(): carries a gradient from the targets back to the sources."""
        total = np.zeros((num_sources, grad.shape[1]), grad.dtype)
        np.add.at(total, self.row, (grad / self.degree)[self.col])
        return total


class GraphSAGE:
    """out[v] = h[v] @ w_self + average(h of v's neighbours) @ w_neigh + bias, in every layer.

    The "gcn" aggregator has no w_self, as the average includes the node itself. ReLU stands between
    the layers and dropout before each of them.
    """

    def __init__(
        self,
        sizes: Sequence[int],
        rng: np.random.Generator,
        aggregator: str = "mean",
        dropout: float = 0.5,
        dtype: type = np.float32,
    ) -> None:
        """`sizes` = features, hidden units of each inner layer, classes: three for two layers."""
        if aggregator not in ("mean", "gcn"):
            raise ValueError(f"aggregator must be 'mean' or 'gcn', not {aggregator!r}")
        if not 0 <= dropout < 1:
            raise ValueError(f"dropout must be in [0, 1), not {dropout}")
        self.num_layers = len(sizes) - 1
        self.aggregator = aggregator
        self.dropout = dropout
        self.params: Params = {}
        for layer, (fan_in, fan_out) in enumerate(zip(sizes, sizes[1:])):
            limit = np.sqrt(6.0 / (fan_in + fan_out))  # Glorot and Bengio, 2010
            for name in ("w_neigh",) if aggregator == "gcn" else ("w_neigh", "w_self"):
                weight = rng.uniform(-limit, limit, (fan_in, fan_out))
                self.params[f"{name}{layer}"] = weight.astype(dtype)
            self.params[f"bias{layer}"] = np.zeros(fan_out, dtype)

    def neighbourhoods(self, batch: Batch) -> list[Neighbourhood]:
        """What each layer averages over, outermost hop first, cut to what it has to compute."""
        if len(batch.num_sampled_edges) != self.num_layers:
            hops = len(batch.num_sampled_edges)
            raise ValueError(f"{self.num_layers} layers need as many hops, the batch has {hops}")
        nodes_within = np.cumsum(batch.num_sampled_nodes)
        edges_within = np.cumsum(batch.num_sampled_edges)
        return [
            Neighbourhood(
                batch.row[: edges_within[hop]],
                batch.col[: edges_within[hop]],
                int(nodes_within[hop]),
                self.aggregator,
                batch.x.dtype,
            )
            for hop in reversed(range(self.num_layers))
        ]

    def forward(
        self, batch: Batch, rng: np.random.Generator | None = None
    ) -> tuple[np.ndarray, list[tuple]]:
        """Scores [seeds, classes], and what backward() needs. Dropout is on when rng is given."""
        h = batch.x
        tape = []
        for layer, hood in enumerate(self.neighbourhoods(batch)):
            # ReLU and dropout both multiply by a factor that backward() applies once more.
            gate = (h > 0).astype(h.dtype) if layer > 0 else np.ones(1, h.dtype)
            if rng is not None and self.dropout > 0:
                kept = rng.random(h.shape, dtype=np.float32) >= self.dropout
                gate = gate * kept / h.dtype.type(1 - self.dropout)
            h = h * gate
            tape.append((hood, h, gate))
            # average(h) @ w equals average(h @ w), which moves rows of fan_out numbers and not of
            # fan_in: a great saving in the first layer.
            out = hood.average(h @ self.params[f"w_neigh{layer}"]) + self.params[f"bias{layer}"]
            if self.aggregator == "mean":
                out += h[: hood.num_targets] @ self.params[f"w_self{layer}"]
            h = out
        return h, tape

    def backward(self, grad: np.ndarray, tape: list[tuple]) -> Params:
        """Gradients of all parameters, from the gradient of the scores."""
        grads: Params = {}
        for layer in reversed(range(self.num_layers)):
            hood, h, gate = tape[layer]
            grads[f"bias{layer}"] = grad.sum(axis=0)
            grad_projected = hood.spread(grad, len(h))
            grads[f"w_neigh{layer}"] = h.T @ grad_projected
            if self.aggregator == "mean":
                grads[f"w_self{layer}"] = h[: hood.num_targets].T @ grad
            if layer == 0:
                break  # the features are given: nothing to learn below
            grad_h = grad_projected @ self.params[f"w_neigh{layer}"].T
            if self.aggregator == "mean":
                grad_h[: hood.num_targets] += grad @ self.params[f"w_self{layer}"].T
            grad = grad_h * gate
        return grads

    def loss_and_grads(
        self, batch: Batch, rng: np.random.Generator | None = None
    ) -> tuple[float, Params]:
        """Mean cross-entropy over the seeds, and its gradients."""
        scores, tape = self.forward(batch, rng)
        seeds = np.arange(len(scores))
        log_p = log_softmax(scores)
        grad = np.exp(log_p)
        grad[seeds, batch.y] -= 1
        return float(-log_p[seeds, batch.y].mean()), self.backward(grad / len(seeds), tape)

    def predict(self, batch: Batch) -> np.ndarray:
        """The most likely class of each seed."""
        return self.forward(batch)[0].argmax(axis=1)


def log_softmax(scores: np.ndarray) -> np.ndarray:
    shifted = scores - scores.max(axis=1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))


class Adam:
    """Adam (Kingma and Ba, 2015). Weight decay is an L2 penalty in the loss, on weights only."""

    def __init__(self, params: Params, lr: float = 0.01, weight_decay: float = 0.0) -> None:
        self.params, self.lr, self.weight_decay = params, lr, weight_decay
        self.beta1, self.beta2, self.epsilon, self.steps = 0.9, 0.999, 1e-8, 0
        self.mean = {name: np.zeros_like(value) for name, value in params.items()}
        self.square = {name: np.zeros_like(value) for name, value in params.items()}

    def step(self, grads: Params) -> None:
        """Changes the parameters in place."""
        self.steps += 1
        mean_scale = 1 / (1 - self.beta1**self.steps)
        square_scale = 1 / (1 - self.beta2**self.steps)
        for name, param in self.params.items():
            grad = grads[name]
            if not name.startswith("bias"):
                grad = grad + self.weight_decay * param
            mean, square = self.mean[name], self.square[name]
            mean += (1 - self.beta1) * (grad - mean)
            square += (1 - self.beta2) * (grad * grad - square)
            param -= self.lr * (mean * mean_scale) / (np.sqrt(square * square_scale) + self.epsilon)
