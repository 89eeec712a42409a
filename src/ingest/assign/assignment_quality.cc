#include <atomic>
#include <mutex>

#include "context/parallel.h"
#include "ingest/assign/assign_nodes.h"
#include "ingest/assign/balance.h"
#include "ingest/common/neighbor_rows.h"
#include "ingest/common/owner_tensor.h"

namespace gls {
namespace {

constexpr size_t kRowsPerPiece = size_t{1} << 14;

Status check_owners(const Dataset& dataset, const NodeOwners& owners, uint32_t parts) {
  if (owners.size() != dataset.node_types().size()) {
    return invalid("owners: of {} node types, expected {}", owners.size(),
                   dataset.node_types().size())
        .with("argument", "owners");
  }
  for (size_t t = 0; t < owners.size(); ++t) {
    const NodeType& type = dataset.node_types()[t];
    const DLDataType dtype = parts <= kMostNarrowParts ? kUint8 : kUint16;
    if (!owners[t].defined() || !same_dtype(owners[t].dtype(), dtype) ||
        owners[t].shape() != std::vector<int64_t>{type.count} || !owners[t].contiguous()) {
      return invalid("owners: of node type \"{}\", expected {} [{}]", type.name, dtype_name(dtype),
                     type.count)
          .with("argument", "owners");
    }
    const OwnerSpan span(owners[t]);
    for (int64_t node = 0; node < type.count; ++node) {
      if (span[node] >= parts) {
        return invalid("owners: node {} of type \"{}\" has {}, expected 0 .. {}", node, type.name,
                       span[node], parts - 1)
            .with("argument", "owners");
      }
    }
  }
  return {};
}

// Adds the edges of one type.
Status add_edges(const Dataset& dataset, const NeighborRows& rows, const Tensor& own,
                 const Tensor& other, const Progress& progress, AssignmentQuality* out) {
  const bool targets_own = rows.topology == (rows.type->csc ? &*rows.type->csc : nullptr);
  std::mutex mutex;
  std::atomic<uint64_t> done{0};
  const auto piece = [&](size_t begin, size_t end) -> Status {
    const OwnerSpan own_owner(own);
    const OwnerSpan other_owner(other);
    std::vector<int64_t> edges(out->edges.size());
    int64_t cut = 0;
    for (size_t node = begin; node < end; ++node) {
      const uint32_t part = own_owner[static_cast<int64_t>(node)];
      GLS_TRY(for_each_neighbor(rows, static_cast<int64_t>(node), [&](int64_t neighbor) {
        const uint32_t to = other_owner[neighbor];
        ++edges[targets_own ? part : to];
        cut += part != to ? 1 : 0;
      }));
    }
    const std::lock_guard lock(mutex);
    out->cut_edges += cut;
    for (size_t p = 0; p < edges.size(); ++p) {
      out->edges[p] += edges[p];
    }
    done += end - begin;
    return {};
  };
  const auto count = static_cast<size_t>(rows.topology->num_rows);
  return parallel_try(dataset.context()->pool(), count, kRowsPerPiece, piece,
                      [&] { return report(progress, "counting cut edges", done, count, "nodes"); });
}

}  // namespace

Result<AssignmentQuality> assignment_quality(const Dataset& dataset, const NodeOwners& owners,
                                             uint32_t parts,
                                             const std::vector<std::string>& balance_sets,
                                             const Progress& progress) {
  GLS_TRY(check_owners(dataset, owners, parts));
  AssignmentQuality out;
  out.edges.resize(parts);
  for (size_t t = 0; t < owners.size(); ++t) {
    out.nodes.emplace_back(parts);
    const OwnerSpan span(owners[t]);
    for (int64_t node = 0; node < dataset.node_types()[t].count; ++node) {
      ++out.nodes[t][span[node]];
    }
  }
  for (const std::string& name : balance_sets) {
    GLS_ASSIGN(const std::vector<Tensor> sets, balance_set(dataset, name));
    out.balanced.emplace_back(parts);
    for (size_t t = 0; t < sets.size(); ++t) {
      if (!sets[t].defined()) {
        continue;
      }
      GLS_ASSIGN(const IdSpan ids, set_ids(dataset.node_types()[t], name, sets[t]));
      const OwnerSpan span(owners[t]);
      for (int64_t i = 0; i < ids.size(); ++i) {
        ++out.balanced.back()[span[ids[i]]];
      }
    }
  }
  const auto rows = neighbor_rows(dataset, true);
  for (size_t t = 0; t < rows.size(); ++t) {
    for (const NeighborRows& row : rows[t]) {
      out.all_edges += row.topology->num_edges;
      GLS_TRY(add_edges(dataset, row, owners[t], owners[row.other], progress, &out));
    }
  }
  return out;
}

}  // namespace gls
