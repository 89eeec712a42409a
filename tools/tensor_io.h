// Converts tensors of the library to JSON and `.npy` files, and computes their sizes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <gls.hpp>
#include <string>
#include <utility>
#include <vector>

#include "session.h"

namespace gls::tool {

inline constexpr DLDataType kInt64 = {kDLInt, 64, 1};

std::string dtype_name(DLDataType dtype);
bool is_dtype_name(const std::string& text);
size_t element_bytes(DLDataType dtype);
std::string shape_text(const int64_t* shape, int32_t ndim);
// Bytes of the elements, without padding between rows.
uint64_t tensor_bytes(const Tensor& tensor);

// One-dimensional int32 or int64, as all ids are.
int64_t integer_at(const Tensor& tensor, int64_t index);
Json integers_json(const Tensor& tensor);

// One row of a mapped array, or the whole array, as a tensor that keeps the map alive.
Tensor row_of(const Tensor& matrix, int64_t row, const std::shared_ptr<Tensor>& owner);

// Writes a contiguous tensor; the file must not exist.
void write_npy(const std::filesystem::path& path, const Tensor& tensor);

}  // namespace gls::tool
