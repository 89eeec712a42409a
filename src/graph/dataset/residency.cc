#include "graph/dataset/residency.h"

#include <atomic>
#include <cstring>
#include <functional>
#include <utility>
#include <vector>

#include "context/parallel.h"

namespace gls {
namespace {

// Adds the copied bytes to *done. It calls `tick` now and then; a failure of `tick` ends the copy.
Result<Tensor> copy_of(Context& context, const Tensor& tensor, std::atomic<uint64_t>* done,
                       const std::function<Status()>& tick) {
  const size_t bytes = tensor.span_bytes();
  auto block = std::make_shared<PageBlock>(bytes, context.huge_pages());
  std::byte* const target = block->data();
  const auto copy = [&](size_t begin, size_t end) -> Status {
    std::memcpy(target + begin, tensor.data() + begin, end - begin);
    done->fetch_add(end - begin, std::memory_order_relaxed);
    return {};
  };
  GLS_TRY(parallel_try(context.pool(), bytes, 4 * kHugePage, copy, tick));
  return Tensor(std::move(block), target, tensor.dtype(), tensor.shape(), tensor.row_stride(), true)
      .with_file(tensor.file());
}

class Reader {
 public:
  Reader(const Dataset& dataset, Residency residency, const Progress& progress)
      : dataset_(dataset), residency_(residency), progress_(progress) {}

  Result<std::shared_ptr<const Dataset>> read() {
    std::vector<NodeType> node_types = dataset_.node_types();
    std::vector<EdgeType> edge_types = dataset_.edge_types();
    const std::vector<Tensor*> arrays = arrays_of(node_types, edge_types);
    uint64_t total = 0;
    for (const Tensor* array : arrays) {
      total += array->span_bytes();
    }
    std::atomic<uint64_t> done{0};
    const auto tick = [&] { return report(progress_, "reading into memory", done, total, "B"); };
    for (Tensor* array : arrays) {
      GLS_ASSIGN(*array, copy_of(*dataset_.context(), *array, &done, tick));
    }
    for (EdgeType& type : edge_types) {
      for (std::optional<Topology>* topology : {&type.csc, &type.csr}) {
        if (*topology) {
          GLS_TRY(refresh(type, &**topology));
        }
      }
    }
    return Dataset::create(dataset_.context(), std::move(node_types), std::move(edge_types),
                           dataset_.files(), dataset_.part());
  }

 private:
  std::vector<Tensor*> arrays_of(std::vector<NodeType>& node_types,
                                 std::vector<EdgeType>& edge_types) const {
    std::vector<Tensor*> out;
    const auto add_columns = [&](std::vector<Column>& columns) {
      for (Column& column : columns) {
        out.push_back(&column.data);
      }
    };
    for (EdgeType& type : edge_types) {
      for (std::optional<Topology>* topology : {&type.csc, &type.csr}) {
        if (*topology) {
          out.push_back(&(*topology)->indptr_tensor);
          out.push_back(&(*topology)->indices_tensor);
          if ((*topology)->edge_ids_tensor.defined()) {
            out.push_back(&(*topology)->edge_ids_tensor);
          }
        }
      }
      if (residency_ == Residency::kAll) {
        add_columns(type.columns);
      }
    }
    if (residency_ == Residency::kAll) {
      for (NodeType& type : node_types) {
        add_columns(type.columns);
      }
    }
    return out;
  }

  // Updates the raw pointers from the tensors.
  static Status refresh(const EdgeType& type, Topology* topology) {
    GLS_ASSIGN(
        *topology,
        Topology::make(std::move(topology->indptr_tensor), std::move(topology->indices_tensor),
                       std::move(topology->edge_ids_tensor), topology->num_rows,
                       topology->num_edges, topology->num_neighbors, type.joined));
    return {};
  }

  const Dataset& dataset_;
  Residency residency_;
  const Progress& progress_;
};

}  // namespace

Tensor make_resident(Context& context, const Tensor& tensor) {
  std::atomic<uint64_t> done{0};
  return copy_of(context, tensor, &done, {}).take();  // cannot fail without a tick
}

Result<std::shared_ptr<const Dataset>> make_resident(const Dataset& dataset, Residency residency,
                                                     const Progress& progress) {
  return Reader(dataset, residency, progress).read();
}

}  // namespace gls
