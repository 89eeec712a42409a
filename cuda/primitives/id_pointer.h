// Arrays of ids on the device, 32 or 64 bits wide.
#pragma once

#include <cstdint>

#include "base/host_device.h"

namespace gls::cuda {

inline constexpr int64_t id_width(bool wide) { return wide ? 8 : 4; }

struct IdsIn {
  const void* data = nullptr;
  bool wide = false;

  GLS_HOST_DEVICE int64_t operator[](int64_t index) const {
    return wide ? static_cast<const int64_t*>(data)[index]
                : int64_t{static_cast<const int32_t*>(data)[index]};
  }
};

struct IdsOut {
  void* data = nullptr;
  bool wide = false;

  GLS_HOST_DEVICE void set(int64_t index, int64_t id) const {
    if (wide) {
      static_cast<int64_t*>(data)[index] = id;
    } else {
      static_cast<int32_t*>(data)[index] = static_cast<int32_t>(id);
    }
  }
};

}  // namespace gls::cuda
