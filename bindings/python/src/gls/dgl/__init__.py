"""Batches as objects of DGL and of GraphBolt: a script keeps its model and changes its loader.

A training loop written for DGL's ``DataLoader`` changes only what it iterates over::

    import gls.dgl

    loader = gls.dgl.DataLoader(gls.NeighborLoader(dataset, [5, 10], "train", batch_size=1024))
    for input_nodes, output_nodes, blocks in loader:
        prediction = model(blocks, blocks[0].srcdata["x"])
        loss = criterion(prediction, blocks[-1].dstdata["y"])

:func:`to_blocks`, :func:`to_link_blocks`, :func:`to_subgraph` and :func:`to_minibatch` convert one
batch each.

Types. A graph with one node type and one edge type is homogeneous. Its types "node" and "to" are
DGL's "_N" and "_E", as in :func:`gls.from_dgl`. All other types keep their names. The edge type
"author__writes__paper" is ``("author", "writes", "paper")`` in DGL, and "author:writes:paper" in
GraphBolt.

Memory. Tensors are views of the batch's arrays, on the device of the batch. They keep its memory
alive. Each function names what it copies. Batches of :class:`gls.AttachedLoader` are read-only, and
PyTorch warns of it.

Padding is cut: the objects have the nodes, edges and links of a batch without `pad`.

``dgl`` inside this package is the package DGL. A script that needs both imports them as
``import dgl`` and ``import gls.dgl``; ``from gls import dgl`` hides DGL.
"""

from gls._core.packages import need

need("torch", "gls.dgl")
need("dgl", "gls.dgl")

from gls.dgl.blocks import to_blocks, to_link_blocks
from gls.dgl.loader import DataLoader
from gls.dgl.minibatch import to_minibatch
from gls.dgl.subgraph import to_subgraph

__all__ = ["DataLoader", "to_blocks", "to_link_blocks", "to_minibatch", "to_subgraph"]
