// A dataset with other dtypes: what tests sample is to be the same of every width of indices and
// ids, and of all dtypes of times and weights that there are.
#pragma once

#include <bit>
#include <cstring>
#include <memory>
#include <vector>

#include "random_numbers.h"
#include "test_graph.h"

namespace gls::test {

// ---- weights ----

// The bits of a number that is a weight.
inline uint64_t any_weight(Numbers* random, DLDataType dtype) {
  if (random->one_in(4)) {
    return 0;
  }
  switch (dtype.code) {
    case kDLFloat:
      if (dtype.bits == 64) {
        return std::bit_cast<uint64_t>(
            random->one_of({5e-324, 1e-310, 1e-9, 0.1, 0.7, 1.0, 3.0, 1e9, 1e300}));
      }
      return dtype.bits == 32 ? std::bit_cast<uint32_t>(
                                    random->one_of({1e-45F, 1e-30F, 0.7F, 1.0F, 3.0F, 1e30F}))
                              : static_cast<uint64_t>(random->below(0x7c00));
    case kDLBfloat:
      return static_cast<uint64_t>(random->below(0x7f80));
    case kDLBool:
      return 1;
    default: {
      constexpr uint64_t kOdd = (uint64_t{1} << 53) + 1;  // no float64
      return dtype.bits == 64 && random->coin()
                 ? random->one_of<uint64_t>({kOdd, kOdd + 2, 7 * kOdd})
                 : static_cast<uint64_t>(random->below(int64_t{1} << 7));
    }
  }
}

inline Tensor any_weights(Numbers* random, int64_t count) {
  const auto dtype = random->one_of<DLDataType>({kFloat64,
                                                 kFloat64,
                                                 kFloat32,
                                                 kFloat32,
                                                 kFloat16,
                                                 kBfloat16,
                                                 kBool,
                                                 kUint8,
                                                 kUint16,
                                                 kUint64,
                                                 kInt32,
                                                 kInt64,
                                                 {kDLInt, 8, 1},
                                                 {kDLInt, 16, 1},
                                                 {kDLUInt, 32, 1}});
  const size_t stride = dtype_bytes(dtype) * (random->one_in(3) ? 3 : 1);
  auto owner = std::make_shared<std::vector<std::byte>>(static_cast<size_t>(count) * stride + 1);
  for (size_t i = 0; i < static_cast<size_t>(count); ++i) {
    const uint64_t bits = any_weight(random, dtype);
    std::memcpy(owner->data() + i * stride, &bits, dtype_bytes(dtype));
  }
  const std::byte* const data = owner->data();
  return Tensor(std::move(owner), data, dtype, {count}, static_cast<int64_t>(stride), true);
}

// ---- times ----

template <typename T>
Tensor narrowed(const Tensor& values, DLDataType dtype) {
  std::vector<T> out;
  for (const int64_t value : values_of(values)) {
    out.push_back(static_cast<T>(value));
  }
  return tensor_of(std::move(out), dtype);
}

// Of times below 128.
inline Tensor any_times(Numbers* random, const Tensor& times) {
  switch (random->below(7)) {
    case 0:
      return narrowed<int32_t>(times, kInt32);
    case 1:
      return narrowed<int16_t>(times, {kDLInt, 16, 1});
    case 2:
      return narrowed<int8_t>(times, {kDLInt, 8, 1});
    case 3:
      return narrowed<uint32_t>(times, {kDLUInt, 32, 1});
    case 4:
      return narrowed<uint16_t>(times, {kDLUInt, 16, 1});
    case 5:
      return narrowed<uint8_t>(times, kUint8);
    default:
      return times;
  }
}

// ---- topology ----

inline Tensor any_width(Numbers* random, const Tensor& ids) {
  const bool wide = random->coin();
  return !ids.defined() ? ids
         : wide         ? narrowed<int64_t>(ids, kInt64)
                        : narrowed<int32_t>(ids, kInt32);
}

// Indices and ids have each a width of their own.
inline Topology any_widths(Numbers* random, const Topology& rows) {
  return Topology::make(rows.indptr_tensor, any_width(random, rows.indices_tensor),
                        any_width(random, rows.edge_ids_tensor), rows.num_rows, rows.num_edges,
                        rows.num_neighbors, "test")
      .take();
}

inline std::shared_ptr<const Dataset> with_any_types(Numbers* random, const Dataset& dataset) {
  std::vector<NodeType> nodes = dataset.node_types();
  std::vector<EdgeType> edges = dataset.edge_types();
  const auto change = [random](auto* types) {
    for (auto& type : *types) {
      for (Column& column : type.columns) {
        if (column.name == "time") {
          column.data = any_times(random, column.data);
        } else if (column.name == "weight" && random->coin()) {
          column.data = any_weights(random, type.count);
        }
      }
    }
  };
  change(&nodes);
  change(&edges);
  for (EdgeType& type : edges) {
    for (auto* const rows : {&type.csc, &type.csr}) {
      if (rows->has_value()) {
        *rows = any_widths(random, **rows);
      }
    }
  }
  return Dataset::create(dataset.context(), std::move(nodes), std::move(edges)).take();
}

// Those of another stream of numbers, so that what else is random stays as it was.
inline std::shared_ptr<const Dataset> make_any_dataset(std::shared_ptr<Context> context,
                                                       const TestGraph& graph, uint64_t number) {
  Numbers random(number + (uint64_t{1} << 40));
  return with_any_types(&random, *make_dataset(std::move(context), graph));
}

}  // namespace gls::test
