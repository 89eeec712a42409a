"""Something fails in the middle of an epoch: no batch is lost, made twice or changed."""

from __future__ import annotations

from pathlib import Path
from typing import Callable

import pytest
from cluster import Cluster
from expected import Expected
from faults import BEGUN, FAULTS, Scene

PEER_TIMEOUT_S = 1.0
REQUEST_TIMEOUT_S = 20.0
SHORT_REQUEST_TIMEOUT_S = 3.0


def test_the_documented_faults_are_these() -> None:
    page = Path(__file__).resolve().parents[2] / "docs" / "reliability.md"
    rows = [line.split("|") for line in page.read_text().splitlines() if line.startswith("| ")]
    said = [(row[1].strip(), row[4].strip()) for row in rows if len(row) == 6]
    assert said[2:] == [(fault.what, fault.lost) for fault in FAULTS.values() if fault.in_table]


@pytest.mark.parametrize("name", list(FAULTS))
def test_fault(
    name: str,
    cluster: Callable[..., Cluster],
    parts: Callable[[int], Path],
    expected: Expected,
) -> None:
    fault = FAULTS[name]
    patience = SHORT_REQUEST_TIMEOUT_S if fault.fatal else REQUEST_TIMEOUT_S
    way = fault.under.over
    # A way may need more; then faults that only silence tells of are not tried over it.
    peer_timeout_ms = way.settings.get("net__peer_timeout_ms", int(PEER_TIMEOUT_S * 1000))
    assert not fault.silent or peer_timeout_ms == int(PEER_TIMEOUT_S * 1000)
    made = way.cluster(
        cluster,
        net__peer_timeout_ms=peer_timeout_ms,
        cluster__request_timeout_ms=int(patience * 1000),
    )
    scene = Scene(made, parts(fault.under.parts), fault.under)
    outcome = fault.run(scene)
    # What is promised, with room for a machine that has other things to do.
    assert outcome.noticed_s < 4 * PEER_TIMEOUT_S, outcome
    if fault.silent:
        assert outcome.noticed_s > PEER_TIMEOUT_S / 2, outcome
    if fault.fatal:
        assert outcome.error_s is not None and outcome.error_s < 2 * patience, outcome
        if scene.clients == []:  # members of a group, who have no batches
            return
        taken, whole = scene.client.batches, expected.of(scene.client.job)
        assert len(taken) >= BEGUN and taken == whole[: len(taken)]
        return
    assert outcome.clients != []
    for client in outcome.clients:
        whole = expected.of(client.job)
        assert len(whole) > 2 * BEGUN and client.batches == whole
        for text in way.said:
            assert any(text in line for line in client.log), (text, client.log)
