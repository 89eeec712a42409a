#include "sample/batch/block.h"

#include <algorithm>

#include "device/memory/transfer.h"
#include "sample/kernels/id_array.h"

namespace gls {
namespace {

// The caller may have overwritten arrays of the batch. Their values are checked, so that nothing is
// read or written out of bounds.
Status changed(const char* what) {
  return error(GLS_ERR_INVALID_STATE,
               "the batch has no blocks: its {} were changed after it was sampled", what)
      .with("argument", "batch");
}

Status check_layers(const Batch& batch, size_t layer) {
  if (batch.frontier == Frontier::kNone) {
    const char* const why =
        batch.walks.has_value() ? "its sampler takes walks, whose edges are not those of hops"
        : !batch.near.empty()
            ? "its sampler finds neighbours by score, and no edges hop by hop"
            : "its edges are not those picked hop by hop; every layer of a model uses all of them";
    return error(GLS_ERR_UNSUPPORTED, "the batch has no blocks: {}", why).with("argument", "batch");
  }
  if (layer >= batch.num_hops) {
    return invalid("layer is {}, but the batch has {}, one for each hop", layer, batch.num_hops)
        .with("argument", "layer");
  }
  return {};
}

// The sum of the first `hops` counts, which is at most `most`.
Result<int64_t> count_of(const Tensor& counts, size_t hops, int64_t most, const char* what) {
  const auto* const of_hop = counts.as<int64_t>();
  int64_t sum = 0;
  const size_t known = std::min(hops, static_cast<size_t>(counts.rows()));
  for (size_t h = 0; h < known; ++h) {
    if (of_hop[h] < 0 || of_hop[h] > most - sum) {
      return changed(what);
    }
    sum += of_hop[h];
  }
  return sum;
}

Result<int64_t> nodes_of(const Batch& batch, size_t type, size_t hops) {
  const SampledNodes& nodes = batch.nodes[type];
  return count_of(nodes.num_nodes, hops, nodes.node.rows(), "counts of nodes");
}

Tensor first(const Tensor& tensor, int64_t count) {
  return Tensor(tensor.owner(), tensor.data(), tensor.dtype(), {count}, tensor.read_only())
      .with_device(tensor.device());
}

// The start of each node's edges, where edges are in the order of their target nodes.
template <typename Id>
Result<Tensor> indptr(const Tensor& dst, int64_t num_edges, int64_t num_dst, BufferPool& pool) {
  IdArray out(pool, sizeof(Id) == sizeof(int64_t), num_dst + 1);
  auto* const begins = static_cast<Id*>(out.data());
  const auto* const to = dst.as<Id>();
  int64_t node = 0;  // the first node whose start is unknown
  for (int64_t e = 0; e < num_edges; ++e) {
    const int64_t at = to[e];
    if (at < 0 || at < node - 1 || at >= num_dst) {
      return changed("edges");
    }
    for (; node <= at; ++node) {
      begins[node] = static_cast<Id>(e);
    }
  }
  for (; node <= num_dst; ++node) {
    begins[node] = static_cast<Id>(num_edges);
  }
  return out.finish(num_dst + 1);
}

}  // namespace

Result<Tensor> block_array(const Batch& batch, size_t layer, BlockArray array, size_t type) {
  GLS_TRY(check_layers(batch, layer));
  // The edges of the first hops belong to the layer, and lead to nodes of as many counts.
  const size_t hops = batch.num_hops - layer;
  if (array == BlockArray::kSrcNode || array == BlockArray::kDstNode) {
    GLS_ASSIGN(const int64_t count,
               nodes_of(batch, type, array == BlockArray::kSrcNode ? hops + 1 : hops));
    return first(batch.nodes[type].node, count);
  }
  const SampledEdges& edges = batch.edges[type];
  const bool by_col = batch.frontier == Frontier::kCol;
  const Tensor src = by_col ? edges.row() : edges.col();
  const Tensor dst = by_col ? edges.col() : edges.row();
  GLS_ASSIGN(const int64_t num_edges,
             count_of(edges.num_edges, hops, dst.rows(), "counts of edges"));
  if (array == BlockArray::kSrc || array == BlockArray::kDst) {
    return first(array == BlockArray::kSrc ? src : dst, num_edges);
  }
  if (array == BlockArray::kEdge) {
    return edges.edge.defined() ? first(edges.edge, num_edges) : Tensor();
  }
  const EdgeType& of = batch.dataset->edge_types()[type];
  GLS_ASSIGN(const int64_t num_dst,
             nodes_of(batch, batch.frontier_is_target ? of.target : of.source, hops));
  BufferPool& pool = *batch.dataset->context()->buffers();
  const auto count = [&](const Tensor& ends) {
    return ends.dtype().bits == 64 ? indptr<int64_t>(ends, num_edges, num_dst, pool)
                                   : indptr<int32_t>(ends, num_edges, num_dst, pool);
  };
  if (batch.device == nullptr) {
    return count(dst);
  }
  // A copy on the host is counted: few users ask, and once per batch.
  Tensor ends = dst;
  Tensor* const moved[] = {&ends};
  GLS_TRY(move_out(batch.device, moved, batch.readers.get()));
  GLS_ASSIGN(Tensor out, count(ends));
  const Tensor on_host = out;  // lives until the stream has been waited for
  GLS_ASSIGN(const DeviceStream stream, batch.device->stream());
  Tensor* const given[] = {&out};
  GLS_TRY(move_in(stream, given, batch.readers));
  return out;
}

}  // namespace gls
