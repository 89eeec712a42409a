"""PyG's data modules for Lightning on GLS."""

from __future__ import annotations

from typing import Any, Optional

from torch_geometric.data import lightning
from torch_geometric.sampler import BaseSampler

from gls.pyg.link_loader import LinkNeighborLoader
from gls.pyg.neighbor_loader import NeighborLoader


class _OfLoader(BaseSampler):  # type: ignore[misc]
    """Stands for the sampler of a loader of GLS, which takes all arguments itself."""

    def __init__(self) -> None:
        pass

    def sample_from_nodes(self, index: Any, **_: Any) -> Any:
        raise NotImplementedError

    def sample_from_edges(self, index: Any, neg_sampling: Any = None) -> Any:
        raise NotImplementedError


class LightningNodeData(lightning.LightningNodeData):  # type: ignore[misc]
    """PyG's data module of this name, whose loaders are :class:`NeighborLoader`.

    Takes all arguments of PyG's, and those of :class:`NeighborLoader`. With `node_sampler`, or another
    `loader` than "neighbor", it is PyG's.
    """

    def __init__(
        self,
        data: Any,
        *inputs: Any,
        loader: str = "neighbor",
        node_sampler: Optional[BaseSampler] = None,
        **kwargs: Any,
    ) -> None:
        if loader == "neighbor" and node_sampler is None:
            kwargs.pop("share_memory", None)  # of PyG's sampler; nothing is copied here
            super().__init__(data, *inputs, node_sampler=_OfLoader(), **kwargs)
            self.loader = loader
        else:
            super().__init__(data, *inputs, loader=loader, node_sampler=node_sampler, **kwargs)

    def dataloader(
        self,
        input_nodes: Any,
        input_time: Any = None,
        input_id: Any = None,
        node_sampler: Optional[BaseSampler] = None,
        **kwargs: Any,
    ) -> Any:
        """A loader of some nodes."""
        if not isinstance(node_sampler, _OfLoader):
            return super().dataloader(input_nodes, input_time, input_id, node_sampler, **kwargs)
        return NeighborLoader(
            self.data, input_nodes=input_nodes, input_time=input_time, input_id=input_id, **kwargs
        )


class LightningLinkData(lightning.LightningLinkData):  # type: ignore[misc]
    """PyG's data module of this name, whose loaders are :class:`LinkNeighborLoader`.

    Takes all arguments of PyG's, and those of :class:`LinkNeighborLoader`. With `link_sampler`, or
    another `loader` than "neighbor" and "link_neighbor", it is PyG's.
    """

    def __init__(
        self,
        data: Any,
        *inputs: Any,
        loader: str = "neighbor",
        link_sampler: Optional[BaseSampler] = None,
        **kwargs: Any,
    ) -> None:
        if loader in ("neighbor", "link_neighbor") and link_sampler is None:
            kwargs.pop("share_memory", None)
            super().__init__(data, *inputs, link_sampler=_OfLoader(), **kwargs)
            self.loader = loader
        else:
            super().__init__(data, *inputs, loader=loader, link_sampler=link_sampler, **kwargs)

    def dataloader(
        self,
        input_edges: Any,
        input_labels: Any = None,
        input_time: Any = None,
        input_id: Any = None,
        link_sampler: Optional[BaseSampler] = None,
        **kwargs: Any,
    ) -> Any:
        """A loader of some links."""
        if not isinstance(link_sampler, _OfLoader):
            return super().dataloader(
                input_edges, input_labels, input_time, input_id, link_sampler, **kwargs
            )
        return LinkNeighborLoader(
            self.data,
            edge_label_index=input_edges,
            edge_label=input_labels,
            edge_label_time=input_time,
            input_id=input_id,
            **kwargs,
        )
