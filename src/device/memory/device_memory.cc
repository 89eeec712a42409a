#include "device/memory/device_memory.h"

#include <algorithm>

namespace gls {

bool found_no_room(const Status& status, const Device& device, const Log* log, uint64_t* room) {
  if (status.code() != GLS_ERR_OUT_OF_MEMORY) {
    return false;
  }
  const uint64_t counted_on = *room;
  const auto free = device.free_memory();
  *room = std::min(counted_on, free.ok() ? *free : 0) / 2;
  if (log != nullptr) {
    log->write(GLS_LOG_WARN, "device",
               "{}: others have taken memory of GPU {} since {} bytes were counted on, of which {} "
               "are from now on",
               status.message(), device.id(), counted_on, *room);
  }
  return true;
}

}  // namespace gls
