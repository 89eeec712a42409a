"""Modules of PyTorch on tables: rows that are learned, wherever they are.

::

    from gls.nn import Embedding, SparseOptimizer

    table = dataset.table("h", width=64, low=-0.1, high=0.1, optimizer="adam")
    embedding = Embedding(table)
    sparse = SparseOptimizer([embedding], lr=0.01)
    for batch in loader:
        loss = model(embedding(batch.n_id), batch.edge_index)
        sparse.zero_grad()
        loss.backward()
        sparse.step()
"""

from gls._core.packages import need

need("torch", "gls.nn")

from gls.nn.embedding import Embedding
from gls.nn.sparse_optimizer import SparseOptimizer

__all__ = ["Embedding", "SparseOptimizer"]
