#include "device/peer/group_seat.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>

#include "host_device/row_plan.h"

namespace gls {
namespace {

Status not_a_group(std::string_view text) {
  return invalid(
             "device.group is \"{}\", expected numbers of GPUs such as 0,1,2,3 or 0,1;2,3, each "
             "once, or local, or local: and how many processes are in a group",
             text)
      .with("argument", "device");
}

std::optional<uint32_t> number_of(std::string_view text) {
  uint32_t out = 0;
  const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), out);
  return ec == std::errc() && end == text.data() + text.size() && out <= 65535
             ? std::optional<uint32_t>(out)
             : std::nullopt;
}

std::vector<std::string_view> parts_of(std::string_view text, char between) {
  std::vector<std::string_view> out;
  while (true) {
    const size_t at = text.find(between);
    out.push_back(text.substr(0, at));
    if (at == std::string_view::npos) {
      return out;
    }
    text.remove_prefix(at + 1);
  }
}

Status check_size(size_t size) {
  return size <= device::kMostMembers
             ? Status()
             : invalid("device.group: a group has {} GPUs, expected {} at most", size,
                       device::kMostMembers)
                   .with("argument", "device");
}

Result<GroupSeat> seat_among_processes(std::string_view text, const LocalPlace& place) {
  if (!place.missing.empty()) {
    return not_found("device.group is \"{}\": {}", text, place.missing).with("argument", "device");
  }
  uint32_t size = place.size;
  if (text != "local") {
    const auto said = number_of(text.substr(6));  // after "local:"
    if (!said || *said == 0) {
      return not_a_group(text);
    }
    if (place.size % *said != 0) {
      return invalid(
                 "device.group is \"{}\", but the {} processes of this machine are not a "
                 "multiple of {}",
                 text, place.size, *said)
          .with("argument", "device");
    }
    size = *said;
  }
  GLS_TRY(check_size(size));
  return GroupSeat{size, place.rank % size, place.rank / size, {}};
}

}  // namespace

Result<GroupSeat> find_seat(std::string_view text, int32_t device, const LocalPlace& place) {
  if (text.empty()) {
    return GroupSeat();
  }
  if (text == "local" || text.starts_with("local:")) {
    return seat_among_processes(text, place);
  }
  std::optional<GroupSeat> out;
  std::set<uint32_t> all;
  uint32_t number = 0;
  for (const std::string_view group : parts_of(text, ';')) {
    GroupSeat seat;
    for (const std::string_view one : parts_of(group, ',')) {
      const std::optional<uint32_t> id = number_of(one);
      if (!id || !all.insert(*id).second) {
        return not_a_group(text);
      }
      seat.devices.push_back(static_cast<int32_t>(*id));
    }
    GLS_TRY(check_size(seat.devices.size()));
    const auto found = std::find(seat.devices.begin(), seat.devices.end(), device);
    if (found != seat.devices.end()) {
      seat.size = static_cast<uint32_t>(seat.devices.size());
      seat.member = static_cast<uint32_t>(found - seat.devices.begin());
      seat.number = number;
      out = std::move(seat);
    }
    ++number;
  }
  if (!out) {
    return invalid("device.group is \"{}\", which GPU {} is not in", text, device)
        .with("argument", "device");
  }
  return *out;
}

}  // namespace gls
