// Columns of every dtype, with rows of all widths, that begin wherever their elements may.
#pragma once

#include <cstring>
#include <initializer_list>
#include <memory>
#include <vector>

#include "random_numbers.h"
#include "tensor/tensor.h"

namespace gls::test {

inline DLDataType any_dtype(Numbers* random) {
  return random->one_of<DLDataType>({kFloat64,
                                     kFloat32,
                                     kFloat16,
                                     kBfloat16,
                                     kBool,
                                     kUint8,
                                     kUint16,
                                     {kDLUInt, 32, 1},
                                     kUint64,
                                     {kDLInt, 8, 1},
                                     {kDLInt, 16, 1},
                                     kInt32,
                                     kInt64});
}

// Elements of a row: a few, those of pages, or those of rows that are longer than any piece.
inline int64_t any_width(Numbers* random, DLDataType dtype) {
  const auto size = static_cast<int64_t>(dtype_bytes(dtype));
  const int64_t bytes = random->one_of<int64_t>(
      {1, 2, 3, 8, 15, 16, 17, 48, 100, 255, 1024, 4088, 4096, 4104, 9001, 20000});
  return std::max<int64_t>(1, bytes / size);
}

// So many elements lie before the first row, and between rows.
inline Tensor any_rows(Numbers* random, int64_t rows, DLDataType dtype, int64_t width) {
  const size_t size = dtype_bytes(dtype);
  const auto before = static_cast<size_t>(random->one_of<int64_t>({0, 0, 1, 3, 5})) * size;
  const int64_t between = random->one_of<int64_t>({0, 0, 1, 4});
  const auto stride = static_cast<size_t>(width + between) * size;
  auto owner =
      std::make_shared<std::vector<std::byte>>(before + static_cast<size_t>(rows) * stride);
  for (size_t i = 0; i < owner->size(); ++i) {
    // No half is infinite, or no number, whose bits a conversion may change.
    (*owner)[i] = static_cast<std::byte>(random->below(same_dtype(dtype, kBool) ? 2 : 0x70));
  }
  const std::byte* const data = owner->data() + before;
  return Tensor(std::move(owner), data, dtype, {rows, width}, static_cast<int64_t>(stride), true);
}

}  // namespace gls::test
