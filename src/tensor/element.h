// Reads a stored number of any dtype that columns have, in host and device code.
#pragma once

#include <gls.h>

#include <cstdint>
#include <cstring>

#include "base/host_device.h"
#include "tensor/half.h"

namespace gls {

template <typename T>
GLS_HOST_DEVICE T stored_at(const void* at) {
#ifdef __CUDA_ARCH__
  if (reinterpret_cast<uintptr_t>(at) % alignof(T) == 0) {  // otherwise it is read byte by byte
    return *static_cast<const T*>(at);
  }
#endif
  T value;
  std::memcpy(&value, at, sizeof(T));
  return value;
}

// Integers beyond 2^53 are rounded to nearest. `code` and `bits` are those of a DLDataType.
GLS_HOST_DEVICE double stored_as_double(const void* at, uint8_t code, uint8_t bits) {
  switch (code) {
    case kDLFloat:
      return bits == 64   ? stored_at<double>(at)
             : bits == 32 ? static_cast<double>(stored_at<float>(at))
                          : static_cast<double>(half_to_float(stored_at<uint16_t>(at)));
    case kDLBfloat:
      return static_cast<double>(bfloat_to_float(stored_at<uint16_t>(at)));
    case kDLInt:
      return bits == 64   ? static_cast<double>(stored_at<int64_t>(at))
             : bits == 32 ? static_cast<double>(stored_at<int32_t>(at))
             : bits == 16 ? static_cast<double>(stored_at<int16_t>(at))
                          : static_cast<double>(stored_at<int8_t>(at));
    default:
      return bits == 64   ? static_cast<double>(stored_at<uint64_t>(at))
             : bits == 32 ? static_cast<double>(stored_at<uint32_t>(at))
             : bits == 16 ? static_cast<double>(stored_at<uint16_t>(at))
                          : static_cast<double>(stored_at<uint8_t>(at));
  }
}

}  // namespace gls
