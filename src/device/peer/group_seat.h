// Which devices read each other's memory, as setting device.group says.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "device/peer/peer_link.h"

namespace gls {

// The group that a device of this process is in, and which of its members it is.
struct GroupSeat {
  uint32_t size = 1;  // of the group; 1: there is none
  uint32_t member = 0;
  uint32_t number = 0;           // of the group, among those of the setting
  std::vector<int32_t> devices;  // by member, where all are of this process; else empty
};

// `text` is the setting; `place` matters for groups of processes alone.
// GLS_ERR_INVALID_ARGUMENT: it cannot be read, or names no group of the device; GLS_ERR_NOT_FOUND:
// nobody says which process of the machine this is.
Result<GroupSeat> find_seat(std::string_view text, int32_t device, const LocalPlace& place);

}  // namespace gls
