#include "graph/folder/verify.h"

#include <vector>

#include "base/utf8.h"
#include "context/parallel.h"
#include "graph/dataset/node_keys.h"
#include "graph/dataset/weight_check.h"
#include "graph/topology/topology_check.h"

namespace gls {
namespace {

constexpr const char* kKeyStage = "checking original ids";

class Verifier {
 public:
  Verifier(const Dataset& dataset, const Progress& progress)
      : dataset_(dataset), pool_(dataset.context()->pool()), progress_(progress) {}

  Status run() {
    GLS_TRY(verify_checksums(dataset_, progress_));
    for (const NodeType& type : dataset_.node_types()) {
      GLS_TRY(check_node_type(type));
    }
    for (const EdgeType& type : dataset_.edge_types()) {
      GLS_TRY(check_edge_type(type));
    }
    return dataset_.check_files();
  }

 private:
  static CheckedArray named(const Tensor& tensor, std::string otherwise, const std::string& type) {
    return tensor.file().empty() ? CheckedArray{std::move(otherwise), false, type}
                                 : CheckedArray{tensor.file(), true, type};
  }

  CheckRun run_of(const char* stage) const { return {pool_, progress_, stage}; }

  Status check_node_type(const NodeType& type) const {
    for (const IdSet& set : type.id_sets) {
      GLS_TRY(check_id_set(type, set));
    }
    GLS_TRY(check_weights(type.columns, type.name));
    GLS_TRY(check_whole(type.whole, type.name));
    return type.keys ? check_keys(type) : Status();
  }

  Status check_whole(const std::optional<GlobalIds>& whole, const std::string& type) const {
    if (!whole) {
      return {};
    }
    return whole->check(run_of("checking ids of the whole"),
                        named(whole->ids(), formatted("ids of the whole of \"{}\"", type), type),
                        named(whole->index(), formatted("index of \"{}\"", type), type));
  }

  Status check_id_set(const NodeType& type, const IdSet& set) const {
    const CheckedArray array =
        named(set.ids, formatted("id set \"{}\" of \"{}\"", set.name, type.name), type.name);
    return check_node_ids(type, set.ids, array, "checking id sets");
  }

  Status check_node_ids(const NodeType& type, const Tensor& tensor, const CheckedArray& array,
                        const char* stage) const {
    GLS_ASSIGN(const IdSpan ids, IdSpan::of(tensor, array.name));
    return run_of(stage).ids(ids, type.count, "node id", array);
  }

  Status check_weights(const std::vector<Column>& columns, const std::string& owner) const {
    for (const Column& column : columns) {
      if (column.role == GLS_ROLE_WEIGHT) {
        GLS_TRY(check_weight(column, owner));
      }
    }
    return {};
  }

  Status check_weight(const Column& column, const std::string& owner) const {
    const CheckedArray array =
        named(column.data, formatted("column \"{}\" of \"{}\"", column.name, owner), owner);
    return gls::check_weights(run_of("checking weights"), column, array);
  }

  // Strictly ascending keys along the order make it a permutation, because equal ids have equal
  // keys.
  Status check_keys(const NodeType& type) const {
    const NodeKeys& keys = *type.keys;
    const KeyReader reader(type);
    if (keys.strings) {
      GLS_TRY(check_key_offsets(type));
    }
    const bool ordered = keys.order.defined();
    const CheckedArray array = named(ordered ? keys.order : keys.values,
                                     formatted("keys of node type \"{}\"", type.name), type.name);
    if (ordered) {
      GLS_TRY(check_node_ids(type, keys.order, array, kKeyStage));
    }
    const auto body = [&](int64_t begin, int64_t end) -> Status {
      for (int64_t i = begin; i < end; ++i) {
        GLS_ASSIGN(const int64_t next, reader.id_at(i));
        GLS_ASSIGN(const int64_t before, reader.id_at(std::max<int64_t>(i - 1, 0)));
        GLS_ASSIGN(const bool ascending, keys_ascend(reader, before, next));
        if (i > 0 && !ascending) {
          return array_fault(
              array, i,
              formatted("the key at position {} (node {}) is not above the one before "
                        "it (node {})",
                        i, next, before));
        }
        if (reader.strings()) {
          GLS_ASSIGN(const std::string_view key, reader.text(next));
          if (!is_utf8(key)) {
            return array_fault(array, i,
                               formatted("the key at position {} (node {}) is not UTF-8", i, next));
          }
        }
      }
      return {};
    };
    return run_of(kKeyStage).range(type.count, body);
  }

  Status check_key_offsets(const NodeType& type) const {
    const auto* const offsets = type.keys->offsets.as<int64_t>();
    const CheckedArray array = named(
        type.keys->offsets, formatted("key offsets of node type \"{}\"", type.name), type.name);
    const auto body = [&](int64_t begin, int64_t end) -> Status {
      for (int64_t i = begin; i < end; ++i) {
        if (offsets[i] > offsets[i + 1]) {
          return array_fault(array, i + 1,
                             formatted("entry {} is {}, less than the entry before it ({})", i + 1,
                                       offsets[i + 1], offsets[i]));
        }
      }
      return {};
    };
    return run_of(kKeyStage).range(type.count, body);
  }

  Result<bool> keys_ascend(const KeyReader& reader, int64_t before, int64_t next) const {
    if (!reader.strings()) {
      return reader.integer(before) < reader.integer(next);
    }
    GLS_ASSIGN(const std::string_view first, reader.text(before));
    GLS_ASSIGN(const std::string_view second, reader.text(next));
    return first < second;
  }

  static TopologyNames names_of(const EdgeType& type, const Topology& topology,
                                const char* layout) {
    const auto part = [&](const Tensor& tensor, const char* array) {
      return named(tensor, formatted("{} {} of \"{}\"", layout, array, type.joined), type.joined);
    };
    return {part(topology.indptr_tensor, "indptr"), part(topology.indices_tensor, "indices"),
            part(topology.edge_ids_tensor, "edge_ids")};
  }

  Status check_edge_type(const EdgeType& type) const {
    TopologyNames csc;
    TopologyNames csr;
    if (type.csc) {
      csc = names_of(type, *type.csc, "csc");
      GLS_TRY(check_topology(pool_, *type.csc, csc, progress_));
    }
    if (type.csr) {
      csr = names_of(type, *type.csr, "csr");
      GLS_TRY(check_topology(pool_, *type.csr, csr, progress_));
    }
    if (type.csc && type.csr) {
      GLS_TRY(check_same_edges(pool_, *type.csc, *type.csr, csc, csr.indices.name, progress_));
    }
    GLS_TRY(check_whole(type.whole, type.joined));
    return check_weights(type.columns, type.joined);
  }

  const Dataset& dataset_;
  ThreadPool& pool_;
  const Progress& progress_;
};

}  // namespace

Status verify_dataset(const Dataset& dataset, const Progress& progress) {
  return Verifier(dataset, progress).run();
}

}  // namespace gls
