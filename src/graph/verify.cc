#include "graph/verify.h"

#include <atomic>
#include <cmath>
#include <vector>

#include "base/checksum.h"
#include "base/parallel.h"
#include "graph/node_keys.h"
#include "graph/topology_check.h"

namespace gls {
namespace {

constexpr size_t kGrain = size_t{1} << 16;
constexpr const char* kKeyStage = "checking original ids";

class Verifier {
 public:
  Verifier(const Dataset& dataset, const Progress& progress)
      : dataset_(dataset), pool_(dataset.context()->pool()), progress_(progress) {}

  Status run() {
    GLS_TRY(check_sums());
    for (const NodeType& type : dataset_.node_types()) {
      GLS_TRY(check_node_type(type));
    }
    for (const EdgeType& type : dataset_.edge_types()) {
      GLS_TRY(check_edge_type(type));
    }
    return {};
  }

 private:
  // The file an array was mapped from; what it is, when it lies in memory.
  ArrayName name_of(const Tensor& tensor, std::string otherwise) const {
    for (const ArrayFile& file : dataset_.files()) {
      if (tensor.rows() > 0 && file.data.data() == tensor.data()) {
        return {file.path, true};
      }
    }
    return {std::move(otherwise), false};
  }

  static Status fault(const ArrayName& array, const std::string& type, int64_t position,
                      std::string text) {
    Status status = corrupt("{}: {}", array.text, text).with("type", type);
    if (array.is_file) {
      status = std::move(status).with("file", array.text);
    }
    return std::move(status).with("offset", std::to_string(position));
  }

  Status check_sums() const {
    const std::vector<ArrayFile>& files = dataset_.files();
    uint64_t total = 0;
    for (const ArrayFile& file : files) {
      total += file.data.span_bytes();
    }
    std::atomic<uint64_t> done{0};
    const auto tick = [&] { return report(progress_, "checking checksums", done, total, "B"); };
    const auto body = [&](size_t begin, size_t end) -> Status {
      for (size_t i = begin; i < end; ++i) {
        GLS_TRY(check_sum(files[i], &done));
      }
      return {};
    };
    return parallel_try(pool_, files.size(), 1, body, tick);
  }

  static Status check_sum(const ArrayFile& file, std::atomic<uint64_t>* done) {
    Checksum sum;
    constexpr uint64_t kStep = uint64_t{8} << 20;
    const uint64_t size = file.data.span_bytes();
    for (uint64_t at = 0; at < size && !file.xxh3.empty(); at += kStep) {
      const uint64_t count = std::min(kStep, size - at);
      sum.update({file.data.data() + at, count});
      done->fetch_add(count, std::memory_order_relaxed);
    }
    if (!file.xxh3.empty() && sum.hex() != file.xxh3) {
      return corrupt("{}: checksum is {}, the manifest says {}", file.path, sum.hex(), file.xxh3)
          .with("file", file.path);
    }
    return {};
  }

  // Runs `body` over [0, count) in parallel; the first fault in order wins.
  Status check_range(int64_t count, const char* stage,
                     const std::function<Status(int64_t begin, int64_t end)>& body) const {
    std::atomic<uint64_t> done{0};
    const auto counted = [&](size_t begin, size_t end) -> Status {
      GLS_TRY(body(static_cast<int64_t>(begin), static_cast<int64_t>(end)));
      done.fetch_add(end - begin, std::memory_order_relaxed);
      return {};
    };
    const auto tick = [&] {
      return report(progress_, stage, done, static_cast<uint64_t>(count), "entries");
    };
    return parallel_try(pool_, static_cast<size_t>(count), kGrain, counted, tick);
  }

  Status check_node_type(const NodeType& type) const {
    for (const IdSet& set : type.id_sets) {
      GLS_TRY(check_id_set(type, set));
    }
    GLS_TRY(check_weights(type.columns, type.name));
    return type.keys ? check_keys(type) : Status();
  }

  Status check_id_set(const NodeType& type, const IdSet& set) const {
    const ArrayName name =
        name_of(set.ids, fmt::format("id set \"{}\" of \"{}\"", set.name, type.name));
    return check_ids(type, set.ids, name, "checking id sets");
  }

  Status check_ids(const NodeType& type, const Tensor& tensor, const ArrayName& name,
                   const char* stage) const {
    GLS_ASSIGN(const IdSpan ids, IdSpan::of(tensor, name.text));
    const auto body = [&](int64_t begin, int64_t end) -> Status {
      const int64_t at = ids.part(begin, end - begin).find_outside(type.count);
      if (at < 0) {
        return {};
      }
      return fault(name, type.name, begin + at,
                   fmt::format("node id {} at position {} is outside [0, {})", ids[begin + at],
                               begin + at, type.count));
    };
    return check_range(ids.size(), stage, body);
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
    const Tensor& data = column.data;
    const ArrayName name =
        name_of(data, fmt::format("column \"{}\" of \"{}\"", column.name, owner));
    const auto body = [&](int64_t begin, int64_t end) -> Status {
      for (int64_t row = begin; row < end; ++row) {
        const std::byte* const at = data.data() + row * data.row_stride();
        for (int64_t i = 0; i < data.row_elements(); ++i) {
          const double weight = element_as_double(at, data.dtype(), static_cast<size_t>(i));
          if (!(weight >= 0) || std::isinf(weight)) {
            return fault(name, owner, row,
                         fmt::format("weight {} in row {} is negative or not finite", weight, row))
                .with("column", column.name);
          }
        }
      }
      return {};
    };
    return check_range(data.rows(), "checking weights", body);
  }

  // Strictly ascending keys along the order make it a permutation: equal ids have equal keys.
  Status check_keys(const NodeType& type) const {
    const NodeKeys& keys = *type.keys;
    const KeyReader reader(type);
    if (keys.strings) {
      GLS_TRY(check_key_offsets(type));
    }
    const bool ordered = keys.order.defined();
    const ArrayName name = name_of(ordered ? keys.order : keys.values,
                                   fmt::format("keys of node type \"{}\"", type.name));
    if (ordered) {
      GLS_TRY(check_ids(type, keys.order, name, kKeyStage));
    }
    const auto body = [&](int64_t begin, int64_t end) -> Status {
      for (int64_t i = begin; i < end; ++i) {
        GLS_ASSIGN(const int64_t here, reader.id_at(i));
        GLS_ASSIGN(const int64_t before, reader.id_at(std::max<int64_t>(i - 1, 0)));
        GLS_ASSIGN(const bool ascending, keys_ascend(reader, before, here));
        if (i > 0 && !ascending) {
          return fault(name, type.name, i,
                       fmt::format("the key at position {} (node {}) is not above the one before "
                                   "it (node {})",
                                   i, here, before));
        }
      }
      return {};
    };
    return check_range(type.count, kKeyStage, body);
  }

  Status check_key_offsets(const NodeType& type) const {
    const auto* const offsets = type.keys->offsets.as<int64_t>();
    const ArrayName name =
        name_of(type.keys->offsets, fmt::format("key offsets of node type \"{}\"", type.name));
    const auto body = [&](int64_t begin, int64_t end) -> Status {
      for (int64_t i = begin; i < end; ++i) {
        if (offsets[i] > offsets[i + 1]) {
          return fault(name, type.name, i + 1,
                       fmt::format("entry {} is {}, less than the entry before it ({})", i + 1,
                                   offsets[i + 1], offsets[i]));
        }
      }
      return {};
    };
    return check_range(type.count, kKeyStage, body);
  }

  Result<bool> keys_ascend(const KeyReader& reader, int64_t before, int64_t here) const {
    if (!reader.strings()) {
      return reader.integer(before) < reader.integer(here);
    }
    GLS_ASSIGN(const std::string_view first, reader.text(before));
    GLS_ASSIGN(const std::string_view second, reader.text(here));
    return first < second;
  }

  TopologyNames names_of(const EdgeType& type, const Topology& topology, const char* layout) const {
    const auto name = [&](const Tensor& tensor, const char* part) {
      return name_of(tensor, fmt::format("{} {} of \"{}\"", layout, part, type.joined));
    };
    TopologyNames names;
    names.indptr = name(topology.indptr_tensor, "indptr");
    names.indices = name(topology.indices_tensor, "indices");
    if (topology.edge_ids != nullptr) {
      names.edge_ids = name(topology.edge_ids_tensor, "edge_ids");
    }
    names.edge_type = type.joined;
    return names;
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
      GLS_TRY(check_same_edges(pool_, *type.csc, *type.csr, csc, csr.indices.text, progress_));
    }
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
