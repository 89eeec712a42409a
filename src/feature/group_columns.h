// Columns of a dataset whose hottest rows are divided among the devices of a group. Each device
// reads the rows of the others in place. docs/decisions/0071.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "device/peer/group_seat.h"
#include "device/peer/peer_link.h"
#include "feature/device_columns.h"
#include "feature/hot_columns.h"

namespace gls {

// Assigns rows to members in turn, as far as each has room. `count` is at most the total room.
std::vector<uint32_t> deal_rows(size_t count, std::span<const uint64_t> room);

// The dataset keeps it, so that memory that other devices read lives as long as the dataset.
class GroupColumns {
 public:
  // For the group of `device`. Devices of this process are opened here, and can read each other
  // from then on. GLS_ERR_UNSUPPORTED: two of them cannot.
  static Result<std::shared_ptr<GroupColumns>> of(const Dataset& dataset,
                                                  const std::shared_ptr<Device>& device,
                                                  const GroupSeat& seat, const LocalPlace& place);
  ~GroupColumns();
  GroupColumns(const GroupColumns&) = delete;
  GroupColumns& operator=(const GroupColumns&) = delete;

  // The column as a member of this process reads it. Places the column for all members of this
  // process, unless that was done; other processes must do the same at the same time. After an
  // error, every column not placed by then has that error.
  Result<std::shared_ptr<const DeviceColumn>> get(const Dataset& dataset, const Column& column,
                                                  uint32_t member);
  Status check() const;

 private:
  struct Member {
    std::shared_ptr<Device> device;  // NULL: in another process
    uint64_t room = 0;               // for all columns, when a column is placed
  };
  struct Shards;
  GroupColumns(GroupSeat seat, LocalPlace place)
      : seat_(std::move(seat)), place_(std::move(place)) {}
  bool among_processes() const { return seat_.devices.empty(); }
  Status begin(const Dataset& dataset);
  Status join(const Dataset& dataset);
  Status place(const Dataset& dataset, const Column& column);
  Status compare(const Dataset& dataset, const Column& column);
  Status divide(const Dataset& dataset, const Column& column, uint64_t unit,
                DeviceColumn::Placing placing);
  Status choose_and_fill(const Dataset& dataset, const Column& column, uint64_t unit,
                         std::span<const uint64_t> places, Shards* shards);
  Status import_others(const Status& filled, Shards* shards, Status* opened);
  Result<std::shared_ptr<const DeviceColumn>> read_divided(const Column& column, uint64_t unit,
                                                           const Shards& shards,
                                                           DeviceColumn::Placing placing,
                                                           uint32_t member);
  Status agree(const Status& mine);

  const GroupSeat seat_;
  const LocalPlace place_;
  std::mutex mutex_;
  Status failed_;
  bool begun_ = false;
  std::vector<Member> members_;
  std::string name_;  // its name in this process
  std::shared_ptr<PeerLink> link_;
  std::atomic<const PeerLink*> checked_ = nullptr;
  std::map<const Column*, std::vector<std::shared_ptr<const DeviceColumn>>> columns_;  // by member
  HotColumns hot_;
};

}  // namespace gls
