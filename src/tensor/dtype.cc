#include "tensor/dtype.h"

#include <array>

#include "tensor/element.h"

namespace gls {
namespace {

struct Named {
  const char* name;
  DLDataType dtype;
};
constexpr std::array<Named, 13> kNames = {{
    {"bool", kBool},
    {"int8", {kDLInt, 8, 1}},
    {"int16", {kDLInt, 16, 1}},
    {"int32", kInt32},
    {"int64", kInt64},
    {"uint8", kUint8},
    {"uint16", {kDLUInt, 16, 1}},
    {"uint32", {kDLUInt, 32, 1}},
    {"uint64", {kDLUInt, 64, 1}},
    {"float16", kFloat16},
    {"bfloat16", kBfloat16},
    {"float32", kFloat32},
    {"float64", kFloat64},
}};

}  // namespace

bool dtype_supported(DLDataType dtype) {
  for (const Named& named : kNames) {
    if (same_dtype(named.dtype, dtype)) {
      return true;
    }
  }
  return false;
}

std::string dtype_name(DLDataType dtype) {
  for (const Named& named : kNames) {
    if (same_dtype(named.dtype, dtype)) {
      return named.name;
    }
  }
  return formatted("code {}, {} bits, {} lanes", dtype.code, dtype.bits, dtype.lanes);
}

Result<DLDataType> parse_dtype(std::string_view name) {
  std::string all;
  for (const Named& named : kNames) {
    if (name == named.name) {
      return named.dtype;
    }
    all += all.empty() ? "" : ", ";
    all += named.name;
  }
  return invalid("\"{}\" is not a dtype; expected one of {}", name, all).with("argument", "dtype");
}

double element_as_double(const void* data, DLDataType dtype, size_t index) {
  return stored_as_double(static_cast<const std::byte*>(data) + index * dtype_bytes(dtype),
                          dtype.code, dtype.bits);
}

}  // namespace gls
