#include <cstring>
#include <utility>
#include <vector>

#include "graph/dataset/node_keys.h"
#include "graph/dataset/topology_query.h"
#include "graph/folder/verify.h"
#include "ingest/common/part_ids.h"
#include "ingest/partition/merge_parts.h"
#include "ingest/partition/reassemble.h"

namespace gls {
namespace {

// Compares the data that a part does not own with those of the owners. The parts are verified, and
// the owners checked.
class OthersCheck {
 public:
  OthersCheck(const OpenParts& parts, const Progress& progress)
      : parts_(parts), partition_(*parts.partition), progress_(progress) {}

  Status run() const {
    const format::ManifestT& whole = partition_.whole();
    for (size_t t = 0; t < whole.node_types.size(); ++t) {
      GLS_ASSIGN(const NodeType kept, read_kept(*whole.node_types[t]));
      for (size_t p = 0; p < parts_.parts.size(); ++p) {
        GLS_TRY(tick(p));
        GLS_TRY(check_node_type(t, p, kept));
      }
    }
    for (size_t t = 0; t < whole.edge_types.size(); ++t) {
      for (size_t p = 0; p < parts_.parts.size(); ++p) {
        GLS_TRY(tick(p));
        GLS_TRY(check_edge_type(t, p));
      }
    }
    return {};
  }

 private:
  Status tick(size_t done) const {
    return report(progress_, "comparing parts", done, parts_.parts.size(), "parts");
  }

  static Status differs(const std::string& file, const std::string& type, const char* what,
                        int64_t id, size_t part, const std::string& from) {
    return corrupt("{}: {} {} of \"{}\" in part {} is not as {} has it", file, what, id, type, part,
                   from)
        .with("file", file)
        .with("type", type);
  }

  // Id sets and keys of the whole graph.
  Result<NodeType> read_kept(const format::NodeTypeT& whole) const {
    NodeType out;
    out.name = whole.name;
    out.count = whole.count;
    const auto map = [&](const format::ArrayT& array) {
      return partition_.map(SharedArray{file_of_whole(array.file), &array}.in_folder());
    };
    for (const auto& set : whole.id_sets) {
      GLS_ASSIGN(Tensor ids, map(*set->array));
      out.id_sets.push_back({set->name, std::move(ids)});
    }
    if (whole.keys != nullptr) {
      NodeKeys keys;
      keys.strings = whole.keys->kind == format::KeyKind::string;
      GLS_ASSIGN(keys.values, map(*whole.keys->values));
      if (whole.keys->offsets != nullptr) {
        GLS_ASSIGN(keys.offsets, map(*whole.keys->offsets));
      }
      const int64_t entries =
          keys.strings && keys.offsets.defined() ? keys.offsets.rows() - 1 : keys.values.rows();
      if (entries != whole.count || keys.strings != keys.offsets.defined() ||
          !same_dtype(keys.values.dtype(), keys.strings ? kUint8 : kInt64)) {
        return corrupt("{}: keys of \"{}\" are not one for each of {} nodes", partition_.path(),
                       whole.name, whole.count)
            .with("file", partition_.path())
            .with("type", whole.name);
      }
      out.keys = std::move(keys);
    }
    return out;
  }

  Status check_node_type(size_t type, size_t number, const NodeType& kept) const {
    const NodeType& part = parts_.parts[number]->node_types()[type];
    for (size_t c = 0; c < part.columns.size(); ++c) {
      const auto column = [&](size_t p) -> const Column& {
        return parts_.parts[p]->node_types()[type].columns[c];
      };
      const auto ids = [&](size_t p) -> const GlobalIds& {
        return *parts_.parts[p]->node_types()[type].whole;
      };
      GLS_TRY(check_rows(number, part.name, "node", partition_.node_book(type), column, ids));
    }
    for (size_t s = 0; s < part.id_sets.size(); ++s) {
      GLS_TRY(check_id_set(number, part, part.id_sets[s], kept.id_sets[s]));
    }
    return part.keys ? check_keys(number, part, kept) : Status();
  }

  template <typename ColumnOf, typename IdsOf>
  Status check_rows(size_t number, const std::string& type, const char* what,
                    const PartitionBook& book, const ColumnOf& column, const IdsOf& ids) const {
    const GlobalIds& of_part = ids(number);
    const Tensor& rows = column(number).data;
    for (int64_t at = of_part.owned(); at < rows.rows(); ++at) {
      const int64_t id = of_part.whole_of(at);
      const size_t owner = book[id];
      const Tensor& owned = column(owner).data;
      const int64_t of_owner = ids(owner).local_of_owned(id);
      if (std::memcmp(rows.data() + at * rows.row_stride(),
                      owned.data() + of_owner * owned.row_stride(),
                      static_cast<size_t>(rows.row_bytes())) != 0) {
        return differs(rows.file(), type, what, id, number, formatted("part {}", owner));
      }
    }
    return {};
  }

  Status check_id_set(size_t number, const NodeType& part, const IdSet& set,
                      const IdSet& whole) const {
    GLS_ASSIGN(const IdSpan ids, IdSpan::of(set.ids, set.name));
    GLS_ASSIGN(const IdSpan all, IdSpan::of(whole.ids, whole.name));
    int64_t at = 0;
    for (int64_t i = 0; i < all.size(); ++i) {
      const int64_t local = part.whole->local_of_owned(all[i]);
      if (local < 0) {
        continue;
      }
      if (at >= ids.size() || ids[at] != local) {
        return differs(set.ids.file(), part.name, "id", all[i], number, "the whole's id set");
      }
      ++at;
    }
    if (at < ids.size()) {
      return differs(set.ids.file(), part.name, "position", at, number, "the whole's id set");
    }
    return {};
  }

  Status check_keys(size_t number, const NodeType& part, const NodeType& kept) const {
    const KeyReader of_part(part);
    const KeyReader whole(kept);
    bool same = of_part.strings() == whole.strings();
    for (int64_t at = 0; at < part.count; ++at) {
      const int64_t id = part.whole->whole_of(at);
      if (same && of_part.strings()) {
        GLS_ASSIGN(const std::string_view one, of_part.text(at));
        GLS_ASSIGN(const std::string_view other, whole.text(id));
        same = one == other;
      } else if (same) {
        same = of_part.integer(at) == whole.integer(id);
      }
      if (!same) {
        return differs(part.keys->values.file(), part.name, "the key of node", id, number,
                       "the whole");
      }
    }
    return {};
  }

  Status check_edge_type(size_t type, size_t number) const {
    const EdgeType& part = parts_.parts[number]->edge_types()[type];
    for (size_t c = 0; c < part.columns.size(); ++c) {
      const auto column = [&](size_t p) -> const Column& {
        return parts_.parts[p]->edge_types()[type].columns[c];
      };
      const auto ids = [&](size_t p) -> const GlobalIds& {
        return *parts_.parts[p]->edge_types()[type].whole;
      };
      GLS_TRY(check_rows(number, part.joined, "edge", *partition_.edge_book(type), column, ids));
    }
    for (const Layout layout : {Layout::kCsc, Layout::kCsr}) {
      GLS_TRY(part.topology(layout) ? check_topology(type, number, layout) : Status());
    }
    return {};
  }

  // Checks rows of nodes that the part does not own. They are empty or equal the owner's row; with
  // both layouts, they may have some of the owner's edges in order.
  Status check_topology(size_t type, size_t number, Layout layout) const {
    const Dataset& of_part = *parts_.parts[number];
    const EdgeType& part = of_part.edge_types()[type];
    const size_t row_type = layout == Layout::kCsc ? part.target : part.source;
    const Topology& topology = *part.topology(layout);
    const GlobalIds& rows = *of_part.node_types()[row_type].whole;
    for (int64_t row = rows.owned(); row < topology.num_rows; ++row) {
      const int64_t begin = topology.indptr[row];
      const int64_t end = topology.indptr[row + 1];
      if (begin == end) {
        continue;
      }
      const int64_t id = rows.whole_of(row);
      const size_t owner = partition_.node_book(row_type)[id];
      const Dataset& of_owner = *parts_.parts[owner];
      const Topology& owned = *of_owner.edge_types()[type].topology(layout);
      const int64_t owned_row = of_owner.node_types()[row_type].whole->local_of_owned(id);
      int64_t at = owned.indptr[owned_row];
      const int64_t last = owned.indptr[owned_row + 1];
      bool same = (part.csc && part.csr) || end - begin == last - at;
      for (int64_t i = begin; same && i < end; ++i) {
        while (at < last && !same_edge(type, layout, of_part, i, of_owner, at)) {
          ++at;
        }
        same = at++ < last;
      }
      if (!same) {
        return differs(topology.indices_tensor.file(), part.joined, "the row of node", id, number,
                       formatted("part {}", owner));
      }
    }
    return {};
  }

  static bool same_edge(size_t type, Layout layout, const Dataset& one, int64_t at_one,
                        const Dataset& other, int64_t at_other) {
    const auto ends = [&](const Dataset& part, int64_t at) {
      const EdgeType& edges = part.edge_types()[type];
      const Topology& topology = *edges.topology(layout);
      const size_t neighbor = layout == Layout::kCsc ? edges.source : edges.target;
      return std::pair(part.node_types()[neighbor].whole->whole_of(topology.neighbor(at)),
                       edges.whole->whole_of(topology.edge_id(at)));
    };
    return ends(one, at_one) == ends(other, at_other);
  }

  const OpenParts& parts_;
  const Partition& partition_;
  const Progress& progress_;
};

}  // namespace

Status verify_parts(const std::shared_ptr<Context>& context, const std::string& path,
                    const Progress& progress) {
  GLS_ASSIGN(const OpenParts parts, open_parts(context, path));
  GLS_TRY(verify_checksums(*parts.partition, context->pool(), progress));
  for (const auto& part : parts.parts) {
    GLS_TRY(verify_dataset(*part, progress));
  }
  GLS_TRY(check_owners(parts, progress));
  DatasetWriter writer = DatasetWriter::measuring();
  GLS_TRY(reassemble(parts, writer, progress));
  return OthersCheck(parts, progress).run();
}

}  // namespace gls
