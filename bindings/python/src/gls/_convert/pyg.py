"""from_pyg: data of PyG as datasets."""

from __future__ import annotations

import importlib
import sys
from typing import Any, Optional, Sequence, Union

from gls._core.context import Context
from gls._data.dataset import Dataset


def from_pyg(
    data: Any,
    *,
    layouts: Union[str, Sequence[str]] = "csc",
    context: Optional[Context] = None,
) -> Dataset:
    """A dataset in memory of ``torch_geometric.data.Data`` or ``HeteroData``.

    ``Data`` has the types "node" and "node__to__node". ``HeteroData`` keeps the names of types.
    Edge ids are positions in `edge_index`, or in the rows of `adj_t`. Edges are sorted into a new
    topology. Values of `adj_t` that are not all 1 become the edge column "edge_weight".

    Tensors and arrays of NumPy with a row for each node or edge become columns with their names,
    dtypes and shapes. They are used in place, if each row is contiguous, and must not be changed.

    - "y", "label" and "labels" are labels.
    - "edge_weight", "weight" and "w" of edges have the role weight if all are finite and none is
      negative.
    - "time" and "timestamp" of int64 have the role time; all else are features.
    - "train_mask", "val_mask" and "test_mask" of nodes, one bool a node, become the id sets
      "train", "valid" and "test".

    In names of attributes, "__" becomes "_", and "_" at an end goes. Other attributes are left out:
    lists, text, sparse tensors, and dtypes that the library does not have.

    Args:
        data: The graph, in memory of the host. :mod:`gls.pyg` takes it as it is, too.
        layouts: "csc", "csr" or both: which directions can be sampled.
        context: None: the default one.

    Raises:
        InvalidArgument: A type has a name with "__" or with "_" at an end.
        Unsupported: There is no `edge_index`, or a tensor is on a GPU.
    """
    if "torch_geometric" not in sys.modules:  # and so there is none of its objects
        raise TypeError(f"data must be Data or HeteroData of PyG, not {type(data).__name__}")
    # By name, as `import gls` must not bring PyTorch.
    convert: Any = importlib.import_module("gls.pyg.graph.convert")
    dataset: Dataset = convert.dataset_of(data, layouts, context)
    return dataset
