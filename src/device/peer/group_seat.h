// The devices that read each other's memory, from the setting device.group.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "device/peer/peer_link.h"

namespace gls {

// The group of a device of this process, and its number in the group.
struct GroupSeat {
  uint32_t size = 1;  // of the group; 1: no group
  uint32_t member = 0;
  uint32_t number = 0;           // of the group, in the order of the setting
  std::vector<int32_t> devices;  // by member, if all belong to this process; else empty
};

// `text` is the setting; `place` matters only for groups of processes. GLS_ERR_INVALID_ARGUMENT:
// the text is invalid, or names no group of the device. GLS_ERR_NOT_FOUND: the local rank of this
// process is unknown.
Result<GroupSeat> find_seat(std::string_view text, int32_t device, const LocalPlace& place);

}  // namespace gls
