"""What GLT and GiGL publish as right for their loaders; for single batches: tests/conformance/test_worked_examples.py."""

from __future__ import annotations

import numpy as np

import gls


def test_500_links() -> None:
    """GLT: 25 batches of 20 links; 20 ones, then 20 zeros; or 3 targets for each."""
    ends = np.random.default_rng(1).integers(0, 40, (2, 500))
    dataset = gls.Dataset.from_arrays(ends, num_nodes=40)
    real = set(zip(*ends.tolist()))
    for mode, amount in (("binary", 1), ("triplet", 3)):
        loader = gls.LinkNeighborLoader(
            dataset, [2], batch_size=20, neg_sampling=gls.NegativeSampling(mode, amount=amount)
        )
        assert len(loader) == 25
        for batch in loader:
            node = batch.node.numpy()
            source, target = batch.link_source.numpy(), batch.link_target.numpy()
            assert set(zip(node[source[:20]].tolist(), node[target[:20]].tolist())) <= real
            if mode == "binary":
                assert len(source) == len(target) == 40
                assert batch.link_label.tolist() == [1] * 20 + [0] * 20
            else:
                assert len(source) == 20 and batch.link_negative.numpy().shape == (20, 3)


def test_weights_of_one_to_nine() -> None:
    """GLT: of 1000 picks for each node, the edge of weight 0.9 comes more than 800 times."""
    edges = np.array([[0, 0, 1, 1, 2, 2, 3], [0, 1, 1, 3, 2, 4, 5]])
    weight = np.array([0.1, 0.9, 0.1, 0.9, 0.1, 0.9, 0.1], np.float32)
    dataset = gls.Dataset.from_arrays(
        edges, num_nodes=6, edge_columns={"w": weight}, layouts=("csc", "csr")
    )
    sampler = gls.Sampler(dataset, [1], direction="out", weight_attr="w", with_edge_ids=True)
    counts = np.zeros(7, int)
    for number in range(1000):
        batch = sampler.sample(np.arange(5), batch=number)
        counts += np.bincount(batch.edge.numpy(), minlength=7)
    assert (counts[[0, 2, 4]] < 200).all() and (counts[[1, 3, 5]] > 800).all()
    assert counts[6] == 1000


def test_nodes_nearly_all_alone() -> None:
    """GiGL: 18 nodes with one edge are 18 batches of 1, of one type or of two."""
    one = gls.Dataset.from_arrays(np.array([[10], [15]]), num_nodes=18)
    builder = gls.DatasetBuilder()
    builder.add_node_type("user", 18)
    builder.add_node_type("item", 18)
    builder.add_edges("user__to__item", np.array([[10], [15]]))
    two = builder.build()
    for dataset, node_type in ((one, "node"), (two, "item")):
        sizes = []
        for batch in gls.NeighborLoader(dataset, [2, 2], (node_type, np.arange(18)), batch_size=1):
            sizes.append(sum(len(nodes.node.numpy()) for nodes in batch.nodes.values()))
        assert sizes == [2 if node == 15 else 1 for node in range(18)]
