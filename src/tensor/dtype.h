// Element types of DLPack, with NumPy's names.
#pragma once

#include <gls.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"
#include "tensor/half.h"

namespace gls {

inline constexpr DLDataType kInt32{kDLInt, 32, 1};
inline constexpr DLDataType kInt64{kDLInt, 64, 1};
inline constexpr DLDataType kFloat32{kDLFloat, 32, 1};
inline constexpr DLDataType kFloat64{kDLFloat, 64, 1};
inline constexpr DLDataType kFloat16{kDLFloat, 16, 1};
inline constexpr DLDataType kBfloat16{kDLBfloat, 16, 1};
inline constexpr DLDataType kUint8{kDLUInt, 8, 1};
inline constexpr DLDataType kUint16{kDLUInt, 16, 1};
inline constexpr DLDataType kUint64{kDLUInt, 64, 1};
inline constexpr DLDataType kBool{kDLBool, 8, 1};

constexpr bool same_dtype(DLDataType a, DLDataType b) {
  return a.code == b.code && a.bits == b.bits && a.lanes == b.lanes;
}
constexpr size_t dtype_bytes(DLDataType dtype) { return dtype.bits / 8u; }

// Whether columns can hold this type: fixed-width numbers and bool.
bool dtype_supported(DLDataType dtype);
// "float32"; for an unsupported type a readable text such as "code 5, 64 bits, 1 lanes".
std::string dtype_name(DLDataType dtype);
Result<DLDataType> parse_dtype(std::string_view name);

// One element as a double (integers beyond 2^53 are rounded to nearest).
double element_as_double(const void* data, DLDataType dtype, size_t index);

}  // namespace gls
