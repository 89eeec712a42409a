#include "feature/group_columns.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <set>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/checksum.h"
#include "device/peer/peer_memory.h"

namespace gls {
namespace {

// The data that processes exchange about a column. Strings follow.
struct ColumnOffer {
  int64_t rows;
  uint64_t unit;
  uint64_t room;
};
struct ShardOffer {
  device::MemoryHandle handle;
  uint64_t rows;   // of all members; a hash
  uint32_t empty;  // this process holds none of these rows
  int32_t code;    // not 0: an error, whose text follows
};

template <typename Offer>
std::string packed_offer(const Offer& offer, std::string_view text) {
  static_assert(std::is_trivially_copyable_v<Offer>);
  return std::string(reinterpret_cast<const char*>(&offer), sizeof offer).append(text);
}

template <typename Offer>
Result<std::pair<Offer, std::string>> unpacked_offer(std::string_view bytes) {
  if (bytes.size() < sizeof(Offer)) {
    return error(GLS_ERR_INTERNAL, "device.group: {} bytes came, expected {}", bytes.size(),
                 sizeof(Offer));
  }
  Offer offer;
  std::memcpy(&offer, bytes.data(), sizeof offer);
  return std::pair(offer, std::string(bytes.substr(sizeof offer)));
}

// Names of groups that datasets of this process use; the first free name is taken. Processes that
// do the same find the same names.
std::mutex names_mutex;
std::set<std::string>& names() {
  static auto* const all = new std::set<std::string>;
  return *all;
}
std::string take_name(const std::string& base) {
  const std::lock_guard lock(names_mutex);
  for (uint32_t i = 0;; ++i) {
    if (const auto [at, is_new] = names().insert(formatted("{} {}", base, i)); is_new) {
      return *at;
    }
  }
}

}  // namespace

std::vector<uint32_t> deal_rows(size_t count, std::span<const uint64_t> room) {
  std::vector<uint32_t> out;
  out.reserve(count);
  std::vector<uint64_t> left(room.begin(), room.end());
  while (out.size() < count) {
    for (uint32_t member = 0; member < left.size() && out.size() < count; ++member) {
      if (left[member] > 0) {
        --left[member];
        out.push_back(member);
      }
    }
  }
  return out;
}

// ---- the group ---------------------------------------------------------------------------------

Result<std::shared_ptr<GroupColumns>> GroupColumns::of(const Dataset& dataset,
                                                       const std::shared_ptr<Device>& device,
                                                       const GroupSeat& seat,
                                                       const LocalPlace& place) {
  std::string key = formatted("device.group {} {}", seat.size, seat.number);
  for (const int32_t id : seat.devices) {
    key += formatted(" {}", id);
  }
  GLS_ASSIGN(const std::shared_ptr<const void> kept,
             dataset.keep(key, 0, UINT64_MAX, [&]() -> Result<std::shared_ptr<const void>> {
               auto made = std::shared_ptr<GroupColumns>(new GroupColumns(seat, place));
               made->members_.resize(seat.size);
               if (made->among_processes()) {
                 made->members_[seat.member].device = device;
               }
               return std::shared_ptr<const void>(std::move(made));
             }));
  auto out =
      std::const_pointer_cast<GroupColumns>(std::static_pointer_cast<const GroupColumns>(kept));
  if (out->among_processes() && out->members_[seat.member].device != device) {
    return invalid("device.group: this process is in its group with GPU {}, and so not with GPU {}",
                   out->members_[seat.member].device->id(), device->id())
        .with("argument", "device");
  }
  return out;
}

GroupColumns::~GroupColumns() {
  columns_.clear();
  link_ = nullptr;  // after all opened memory is closed
  const std::lock_guard lock(names_mutex);
  names().erase(name_);
}

Status GroupColumns::check() const {
  const PeerLink* const link = checked_.load(std::memory_order_acquire);
  return link != nullptr ? link->check() : Status();
}

Status GroupColumns::begin(const Dataset& dataset) {
  const Settings& settings = dataset.context()->settings();
  if (const std::string cache = settings.text(Setting::kDeviceCache); cache != "fixed") {
    return invalid(
               "device.group divides rows that stay where they are, and device.cache is {}: "
               "expected fixed",
               cache)
        .with("argument", "device");
  }
  if (among_processes()) {
    GLS_TRY(join(dataset));
  }
  for (uint32_t m = 0; m < seat_.devices.size(); ++m) {
    GLS_ASSIGN(members_[m].device, Device::open(seat_.devices[m]));
  }
  for (Member& member : members_) {
    if (member.device == nullptr) {
      continue;
    }
    GLS_ASSIGN(member.room, room_for_columns(settings, *member.device));
    for (const int32_t other : seat_.devices) {
      device::GpuError failure;
      if (other != member.device->id() && !member.device->gpu().reach(other, &failure)) {
        return status_of(failure).prefixed("device.group: ").with("argument", "device");
      }
    }
  }
  begun_ = true;
  return {};
}

Status GroupColumns::join(const Dataset& dataset) {
  const std::shared_ptr<Context>& context = dataset.context();
  const int64_t timeout_ms = context->settings().integer(Setting::kDeviceGroupTimeout);
  name_ = take_name(formatted("{} {} {}", place_.job, seat_.number, hex64(dataset.fingerprint())));
  PeerLink::Options options;
  options.name = name_;
  options.rank = seat_.member;
  options.size = seat_.size;
  options.timeout_ms = timeout_ms == 0 ? -1 : timeout_ms;
  options.context = context;
  GLS_ASSIGN(link_, PeerLink::join(std::move(options)));
  checked_.store(link_.get(), std::memory_order_release);
  return {};
}

Result<std::shared_ptr<const DeviceColumn>> GroupColumns::get(const Dataset& dataset,
                                                              const Column& column,
                                                              uint32_t member) {
  const std::lock_guard lock(mutex_);
  if (const auto found = columns_.find(&column); found != columns_.end()) {
    return found->second[member];
  }
  if (failed_.ok()) {
    failed_ = begun_ ? Status() : begin(dataset);
  }
  if (failed_.ok()) {
    failed_ = place(dataset, column);
  }
  if (!failed_.ok()) {
    columns_.erase(&column);
    if (columns_.empty()) {  // no memory of other processes is read, so they need not wait
      checked_.store(nullptr, std::memory_order_release);
      link_ = nullptr;
    }
    return failed_.copy();
  }
  return columns_[&column][member];
}

// ---- a column ----------------------------------------------------------------------------------

struct GroupColumns::Shards {
  uint64_t table_bytes = 0;
  uint64_t count = 0;                      // of rows
  std::vector<std::vector<int64_t>> rows;  // by member
  std::vector<int32_t> slots;              // for all rows of the column
  uint32_t place_bits = 31;
  uint64_t hash = 0;  // identifies these rows
  // By member: memory of this process, or of another one.
  std::vector<std::shared_ptr<PeerMemory>> memory;
  std::vector<std::shared_ptr<ImportedMemory>> others;
};

Status GroupColumns::place(const Dataset& dataset, const Column& column) {
  const Tensor& data = column.data;
  const auto unit = static_cast<uint64_t>(stride_on_device(data.row_bytes()));
  if (link_ != nullptr) {
    GLS_TRY(compare(dataset, column));
  }
  DeviceColumn::Placing placing;
  placing.log = &dataset.context()->log();
  const Settings& settings = dataset.context()->settings();
  placing.most_pinned = settings.flag(Setting::kDevicePin) ? PinnedPages::most(settings).pages : 0;
  placing.from_storage = settings.flag(Setting::kDeviceDirectStorage);
  const uint64_t bytes = unit * static_cast<uint64_t>(data.rows());
  if (std::any_of(members_.begin(), members_.end(),
                  [bytes](const Member& member) { return member.room < bytes; })) {
    return divide(dataset, column, unit, placing);
  }
  std::vector<std::shared_ptr<const DeviceColumn>>& placed = columns_[&column];
  placed.resize(members_.size());
  Status mine;
  std::optional<PeerLink::AtWork> at_work(std::in_place, link_.get());
  for (size_t m = 0; m < members_.size() && mine.ok(); ++m) {
    if (members_[m].device == nullptr) {
      continue;
    }
    auto one = DeviceColumn::place(members_[m].device, column, placing, &members_[m].room);
    mine = one.ok() ? Status() : std::move(one.status());
    placed[m] = one.ok() ? one.take() : nullptr;
  }
  at_work.reset();
  return agree(mine);
}

// Checks that all processes place the same column, and exchanges the room of each.
Status GroupColumns::compare(const Dataset& dataset, const Column& column) {
  const std::string name = name_of_column(dataset, column);
  const ColumnOffer mine = {column.data.rows(),
                            static_cast<uint64_t>(stride_on_device(column.data.row_bytes())),
                            members_[seat_.member].room};
  GLS_ASSIGN(const std::vector<std::string> all, link_->exchange(packed_offer(mine, name)));
  for (uint32_t m = 0; m < members_.size(); ++m) {
    GLS_ASSIGN(const auto offer, unpacked_offer<ColumnOffer>(all[m]));
    const auto& [theirs, their_name] = offer;
    if (theirs.rows != mine.rows || theirs.unit != mine.unit || their_name != name) {
      return error(GLS_ERR_INVALID_STATE,
                   "device.group: {} places column {} ({} rows of {} bytes), and this one {} ({} "
                   "rows of {} bytes): loaders of all processes must be made in the same order, "
                   "with the same columns",
                   link_->describe(m), their_name, theirs.rows, theirs.unit, name, mine.rows,
                   mine.unit);
    }
    members_[m].room = theirs.room;
  }
  return {};
}

// Exchanges the offers about shards. An error in one process is an error in all of them.
static Result<std::vector<ShardOffer>> exchange_shards(PeerLink* link, ShardOffer offer,
                                                       const Status& mine) {
  offer.code = mine.code();
  GLS_ASSIGN(const std::vector<std::string> all,
             link->exchange(packed_offer(offer, mine.message())));
  GLS_TRY(mine.copy());
  std::vector<ShardOffer> out;
  for (uint32_t m = 0; m < all.size(); ++m) {
    GLS_ASSIGN(const auto theirs, unpacked_offer<ShardOffer>(all[m]));
    if (theirs.first.code != GLS_OK) {
      return error(theirs.first.code, "device.group: {}: {}", link->describe(m), theirs.second);
    }
    out.push_back(theirs.first);
  }
  return out;
}

Status GroupColumns::agree(const Status& mine) {
  if (link_ == nullptr) {
    return mine.copy();
  }
  return std::move(exchange_shards(link_.get(), {}, mine).status());
}

Status GroupColumns::divide(const Dataset& dataset, const Column& column, uint64_t unit,
                            DeviceColumn::Placing placing) {
  const auto num_rows = static_cast<size_t>(column.data.rows());
  Shards shards;
  shards.table_bytes = num_rows * sizeof(int32_t);
  shards.place_bits = 31 - static_cast<uint32_t>(std::bit_width(members_.size() - 1));
  shards.rows.resize(members_.size());
  shards.memory.resize(members_.size());
  shards.others.resize(members_.size());
  shards.slots.assign(num_rows, -1);
  std::vector<uint64_t> places;
  for (const Member& member : members_) {
    const uint64_t fit =
        member.room < shards.table_bytes ? 0 : (member.room - shards.table_bytes) / unit;
    places.push_back(std::min(fit, uint64_t{1} << shards.place_bits));
    shards.count += places.back();
  }
  shards.count = std::min(shards.count, static_cast<uint64_t>(num_rows));
  Status mine;
  if (shards.count > 0) {
    {
      const PeerLink::AtWork at_work(link_.get());
      mine = choose_and_fill(dataset, column, unit, places, &shards);
    }
    if (link_ != nullptr) {
      const Status filled = std::move(mine);
      GLS_TRY(import_others(filled, &shards, &mine));
    }
  }
  placing.whole = false;
  std::vector<std::shared_ptr<const DeviceColumn>>& placed = columns_[&column];
  placed.resize(members_.size());
  std::optional<PeerLink::AtWork> at_work(std::in_place, link_.get());
  for (uint32_t m = 0; m < members_.size() && mine.ok(); ++m) {
    if (members_[m].device != nullptr) {
      auto one = read_divided(column, unit, shards, placing, m);
      mine = one.ok() ? Status() : std::move(one.status());
      placed[m] = one.ok() ? one.take() : nullptr;
    }
  }
  at_work.reset();
  return agree(mine);
}

// Chooses the hottest rows for all members together, in turn; copies those of this process.
Status GroupColumns::choose_and_fill(const Dataset& dataset, const Column& column, uint64_t unit,
                                     std::span<const uint64_t> places, Shards* shards) {
  GLS_ASSIGN(const std::vector<int64_t> hot,
             hot_.rows(dataset, column, unit, shards->count * unit));
  const std::vector<uint32_t> members = deal_rows(hot.size(), places);
  for (size_t i = 0; i < hot.size(); ++i) {
    std::vector<int64_t>& rows = shards->rows[members[i]];
    shards->slots[static_cast<size_t>(hot[i])] =
        static_cast<int32_t>(members[i] << shards->place_bits | static_cast<uint32_t>(rows.size()));
    rows.push_back(hot[i]);
  }
  shards->hash = hash64(std::as_bytes(std::span(hot)));
  for (size_t m = 0; m < members_.size(); ++m) {
    const std::shared_ptr<Device>& device = members_[m].device;
    const std::vector<int64_t>& rows = shards->rows[m];
    if (device == nullptr || rows.empty()) {
      continue;
    }
    GLS_ASSIGN(const DeviceStream stream, device->stream());
    GLS_ASSIGN(shards->memory[m], PeerMemory::allocate(device, rows.size() * unit));
    GLS_TRY(copy_raw_rows(column.data, rows, unit, shards->memory[m]->data(), stream));
  }
  return {};
}

// Publishes the memory of this process, and opens that of others. The returned status is the same
// in all processes; `opened` is the outcome in this one.
Status GroupColumns::import_others(const Status& filled, Shards* shards, Status* opened) {
  ShardOffer offer = {};
  offer.rows = shards->hash;
  offer.empty = shards->memory[seat_.member] == nullptr ? 1 : 0;
  Status mine = filled.copy();
  if (mine.ok() && offer.empty == 0) {
    auto handle = shards->memory[seat_.member]->handle();
    mine = handle.ok() ? Status() : std::move(handle.status());
    offer.handle = handle.ok() ? *handle : device::MemoryHandle();
    link_->keep(shards->memory[seat_.member]);  // from now on another process may read it
  }
  GLS_ASSIGN(const std::vector<ShardOffer> all, exchange_shards(link_.get(), offer, mine));
  for (uint32_t m = 0; m < all.size(); ++m) {
    if (all[m].rows != offer.rows) {
      return error(GLS_ERR_INVALID_STATE,
                   "device.group: {} and this one choose other rows: device.hot_ids and the "
                   "dataset must be the same",
                   link_->describe(m));
    }
  }
  for (uint32_t m = 0; m < all.size(); ++m) {
    if (m == seat_.member || all[m].empty != 0) {
      continue;
    }
    auto memory = ImportedMemory::open(members_[seat_.member].device, all[m].handle, link_, m);
    if (!memory.ok()) {
      *opened = std::move(memory.status())
                    .prefixed(formatted("memory of the GPU of {}: ", link_->describe(m)));
      return {};
    }
    shards->others[m] = memory.take();
  }
  *opened = Status();
  return {};
}

// The column as one member reads it.
Result<std::shared_ptr<const DeviceColumn>> GroupColumns::read_divided(
    const Column& column, uint64_t unit, const Shards& shards, DeviceColumn::Placing placing,
    uint32_t member) {
  Member& reader = members_[member];
  if (shards.count > 0 && reader.room >= shards.table_bytes) {
    RowCache::Divided divided;
    divided.place_bits = shards.place_bits;
    divided.own = member;
    for (size_t m = 0; m < members_.size(); ++m) {
      if (shards.others[m] != nullptr) {
        divided.rows[m] = shards.others[m]->data();
        divided.owners.push_back(shards.others[m]);
      } else if (shards.memory[m] != nullptr) {
        divided.rows[m] = shards.memory[m]->data();
        divided.owners.push_back(shards.memory[m]);
      }
    }
    GLS_ASSIGN(placing.divided,
               RowCache::of_group(reader.device, column.data, static_cast<int64_t>(unit),
                                  shards.slots, std::move(divided)));
    placing.all_divided = shards.count == shards.slots.size();
    reader.room -= shards.table_bytes + shards.rows[member].size() * unit;
  }
  return DeviceColumn::place(reader.device, column, placing, &reader.room);
}

}  // namespace gls
