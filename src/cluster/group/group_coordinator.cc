#include "cluster/group/group_coordinator.h"

#include <algorithm>
#include <utility>

#include "base/clock.h"
#include "net/connection/transport.h"

namespace gls::group {
namespace {

constexpr size_t kMostRanks = 16;  // named in one error

uint64_t deadline_after(int64_t timeout_ms) {
  return is_unlimited(timeout_ms) ? kForever : now_ns() + static_cast<uint64_t>(timeout_ms) * kMs;
}

}  // namespace

std::string describe(uint32_t rank, const Member& member) {
  return member.address.empty()
             ? formatted("rank {} ({})", rank, member.name)
             : formatted("rank {} ({} at {})", rank, member.name, member.address);
}

bool is_loopback(const std::string& address) {
  auto place = net::split_address(address, "listen");
  return place.ok() &&
         (place->first.starts_with("127.") || place->first == "localhost" || place->first == "::1");
}

class GroupCoordinator::Calls {
 public:
  ~Calls() {
    for (auto& [done, outcome] : calls_) {
      done(std::move(outcome));
    }
  }
  void add(Done&& done, Result<net::Message> outcome) {
    if (done) {
      calls_.emplace_back(std::move(done), std::move(outcome));
      done = nullptr;
    }
  }

 private:
  std::vector<std::pair<Done, Result<net::Message>>> calls_;
};

GroupCoordinator::GroupCoordinator(Pool pool, std::string group, uint32_t world_size)
    : pool_(std::move(pool)), group_(std::move(group)), slots_(world_size) {}

// ---- joining ----

Status GroupCoordinator::check_join(const JoinRequest& request) const {
  const std::string who = describe(request.rank, request.member);
  if (request.protocol != kProtocol) {
    return error(GLS_ERR_UNSUPPORTED, "{} speaks version {} of groups, and rank 0 version {}", who,
                 request.protocol, kProtocol);
  }
  if (request.group != group_) {
    return invalid("{} wants to join group \"{}\", and rank 0 is of group \"{}\"", who,
                   request.group, group_)
        .with("argument", "name");
  }
  if (request.world_size != slots_.size()) {
    return invalid("{} has a world size of {}, and rank 0 of {}", who, request.world_size,
                   slots_.size())
        .with("argument", "world_size");
  }
  if (request.rank >= slots_.size()) {
    return invalid("{} has a rank beyond the world size, {}", who, slots_.size())
        .with("argument", "rank");
  }
  const Slot& slot = slots_[request.rank];
  // A process may rejoin before rank 0 notices that its old connection was lost.
  const bool same = !joined_ && slot.member.process == request.member.process &&
                    slot.member.host == request.member.host && request.rank != 0;
  if (slot.joined && !same) {
    return error(GLS_ERR_ALREADY_EXISTS,
                 "two processes have rank {}: {}, process {} on {}, and {}, "
                 "process {} on {}",
                 request.rank, slot.member.name, slot.member.process, slot.member.host,
                 request.member.name, request.member.process, request.member.host)
        .with("argument", "rank");
  }
  return {};
}

// Once all have joined: checks that the processes can reach each other.
Status GroupCoordinator::check_addresses() const {
  const auto on_other_host = [this](const Slot& slot) {
    return slot.member.host != slots_[0].member.host;
  };
  if (std::none_of(slots_.begin(), slots_.end(), on_other_host)) {
    return {};
  }
  for (uint32_t rank = 1; rank < slots_.size(); ++rank) {
    if (is_loopback(slots_[rank].member.address)) {
      return invalid(
                 "{} cannot be reached from other machines, and not all of the group are on one: "
                 "set listen to \"0.0.0.0:0\", or to an interface",
                 describe(rank, slots_[rank].member))
          .with("argument", "listen");
    }
  }
  return {};
}

void GroupCoordinator::join(const JoinRequest& request, std::shared_ptr<void> connection,
                            Done done) {
  Calls calls;
  Slot before;  // destroyed after the lock is released
  const std::lock_guard lock(mutex_);
  Status status = check_join(request);
  if (status.ok() && !joined_ && !failed_.ok()) {
    status = failed_.copy();
  }
  if (!status.ok()) {
    status = std::move(status).prefixed(formatted("joining group \"{}\": ", group_));
    status = std::move(status).with("rank", std::to_string(request.rank));
    if (!request.member.address.empty()) {
      status = std::move(status).with("peer", request.member.address);
    }
    refused_ += connection != nullptr ? 1 : 0;
    calls.add(std::move(done), status.copy());
    if (!joined_ && failed_.ok()) {
      break_all(std::move(status), &calls);
    }
    return;
  }
  Slot& slot = slots_[request.rank];
  before = std::exchange(slot, Slot());
  slot.joined = true;
  slot.connection = std::move(connection);
  slot.member = request.member;
  slot.done = std::move(done);
  slot.timeout_ms = request.timeout_ms;
  slot.deadline = deadline_after(request.timeout_ms);
  if (std::all_of(slots_.begin(), slots_.end(), [](const Slot& one) { return one.joined; })) {
    complete_join(&calls);
  }
}

void GroupCoordinator::complete_join(Calls* calls) {
  if (Status status = check_addresses(); !status.ok()) {
    break_all(std::move(status).prefixed(formatted("joining group \"{}\": ", group_)), calls);
    return;
  }
  joined_ = true;
  std::vector<Member> members;
  members.reserve(slots_.size());
  for (const Slot& slot : slots_) {
    members.push_back(slot.member);
  }
  for (Slot& slot : slots_) {
    slot.deadline = kForever;
    calls->add(std::move(slot.done), encode(pool_, members));
  }
}

// The text of an error of joining: "ranks 1, 3 are missing; here: rank 0 (...)".
std::string GroupCoordinator::missing() const {
  std::string absent;
  std::string present;
  size_t named = 0;
  size_t count = 0;
  for (uint32_t rank = 0; rank < slots_.size(); ++rank) {
    std::string* const list = slots_[rank].joined ? &present : &absent;
    count += slots_[rank].joined ? 0 : 1;
    if (++named > 2 * kMostRanks) {
      continue;
    }
    *list += list->empty() ? "" : ", ";
    const Member& member = slots_[rank].member;
    *list += slots_[rank].joined   ? describe(rank, member)
             : member.name.empty() ? std::to_string(rank)
                                   : formatted("{} ({}, who was here and went)", rank, member.name);
  }
  std::string out =
      formatted("{} of {} processes are missing: rank {}{}; here: {}", count, slots_.size(), absent,
                named > 2 * kMostRanks ? " and others" : "", present);
  if (strangers_ > 0) {
    out += formatted("; {} connections were turned away, the last from {}", strangers_, stranger_);
  }
  return out;
}

void GroupCoordinator::turned_away(const std::string& address, const std::string& why) {
  const std::lock_guard lock(mutex_);
  ++strangers_;
  stranger_ = formatted("{}: {}", address, why);
}

// ---- operations ----

std::string GroupCoordinator::label(OperationKind kind, uint64_t number) const {
  return formatted("{} {} of group \"{}\": ", name_of(kind), number, group_);
}

Status GroupCoordinator::broken(OperationKind kind, uint64_t number) const {
  return failed_.copy()
      .prefixed(label(kind, number))
      .with("operation", formatted("{} {}", name_of(kind), number));
}

// Ends every request that waits, now and later, with the error `why`.
void GroupCoordinator::break_all(Status why, Calls* calls) {
  failed_ = std::move(why);
  for (Slot& slot : slots_) {
    slot.deadline = kForever;
    if (slot.done) {
      refused_ += slot.connection != nullptr ? 1 : 0;
      calls->add(std::move(slot.done), joined_ ? broken(slot.kind, done_ + 1) : failed_.copy());
    }
  }
}

void GroupCoordinator::stop(const std::string& why) {
  Calls calls;
  const std::lock_guard lock(mutex_);
  if (failed_.ok()) {
    break_all(error(GLS_ERR_IO, "{} {}", describe(0, slots_[0].member), why)
                  .with("rank", "0")
                  .with("peer", slots_[0].member.address),
              &calls);
  }
}

void GroupCoordinator::lost(const void* connection, bool left, const std::string& why) {
  Calls calls;
  Done forgotten;  // destroyed after the lock is released
  Slot absent;
  const std::lock_guard lock(mutex_);
  for (uint32_t rank = 1; rank < slots_.size(); ++rank) {
    Slot& slot = slots_[rank];
    if (!slot.joined || slot.connection.get() != connection) {
      continue;
    }
    if (!joined_) {
      absent = std::exchange(slot, Slot());  // the process may join again
      slot.member = absent.member;
      return;
    }
    forgotten = std::move(slot.done);
    slot.done = nullptr;
    if (failed_.ok()) {
      const std::string who = describe(rank, slot.member);
      Status status = left ? error(GLS_ERR_IO, "{} has left", who)
                           : error(GLS_ERR_IO, "{} was lost: {}", who, why);
      break_all(
          std::move(status).with("rank", std::to_string(rank)).with("peer", slot.member.address),
          &calls);
    }
    return;
  }
}

void GroupCoordinator::operate(const void* connection, const OperationRequest& request, Done done) {
  uint32_t rank = 0;
  {
    const std::lock_guard lock(mutex_);
    for (uint32_t r = 1; r < slots_.size(); ++r) {
      if (slots_[r].joined && slots_[r].connection.get() == connection) {
        rank = r;
      }
    }
  }
  if (rank == 0) {
    done(error(GLS_ERR_INVALID_STATE, "who asks has not joined group \"{}\"", group_));
    return;
  }
  operate(rank, request, std::move(done));
}

void GroupCoordinator::operate(uint32_t rank, const OperationRequest& request, Done done) {
  Calls calls;
  Done given_up;  // destroyed after the lock is released
  net::Message data = net::Message::copied(pool_, request.data);
  const std::lock_guard lock(mutex_);
  if (joined_ && request.number == done_ && done_ > 0 && request.kind == last_kind_) {
    calls.add(std::move(done), result());  // the process abandoned the operation before it ended
    return;
  }
  if (!failed_.ok()) {
    calls.add(std::move(done), broken(request.kind, request.number));
    return;
  }
  if (!joined_ || request.number != done_ + 1) {
    calls.add(std::move(done),
              error(GLS_ERR_INVALID_STATE, "{}the others are at operation {}",
                    label(request.kind, request.number), done_ + 1)
                  .with("operation", formatted("{} {}", name_of(request.kind), request.number)));
    return;
  }
  for (uint32_t other = 0; other < slots_.size(); ++other) {
    const Slot& slot = slots_[other];
    if (slot.arrived && slot.kind != request.kind) {
      Status why =
          error(GLS_ERR_INVALID_STATE, "{} is in {} {}, and {} in {} {}: all must do the same",
                describe(other, slot.member), name_of(slot.kind), request.number,
                describe(rank, slots_[rank].member), name_of(request.kind), request.number);
      slots_[rank].kind = request.kind;
      given_up = std::exchange(slots_[rank].done, std::move(done));
      break_all(std::move(why), &calls);
      return;
    }
  }
  Slot& slot = slots_[rank];
  given_up = std::exchange(slot.done, std::move(done));
  slot.deadline = deadline_after(request.timeout_ms);
  slot.timeout_ms = request.timeout_ms;
  if (!slot.arrived) {
    slot.arrived = true;
    slot.kind = request.kind;
    slot.data = std::move(data);
  }
  if (std::all_of(slots_.begin(), slots_.end(), [](const Slot& one) { return one.arrived; })) {
    complete_operation(&calls);
  }
}

net::Message GroupCoordinator::result() const {
  std::vector<Bytes> items;
  if (last_kind_ == OperationKind::kGather) {
    for (const net::Message& item : last_) {
      items.emplace_back(item.bytes());
    }
  }
  return encode(pool_, items);
}

void GroupCoordinator::complete_operation(Calls* calls) {
  uint64_t bytes = 0;
  for (const Slot& slot : slots_) {
    bytes += slot.data.size();
  }
  constexpr uint64_t kMost = (uint64_t{1} << 30) - (uint64_t{1} << 20);  // bytes of one reply
  if (bytes > kMost) {
    break_all(invalid("all together gave {} bytes, expected at most {}", bytes, kMost), calls);
    return;
  }
  ++done_;
  last_kind_ = slots_[0].kind;
  last_.clear();
  for (Slot& slot : slots_) {
    last_.push_back(std::exchange(slot.data, {}));
    slot.arrived = false;
    slot.deadline = kForever;
  }
  for (Slot& slot : slots_) {
    if (slot.done) {
      calls->add(std::move(slot.done), result());
    }
  }
}

// ---- time ----

uint64_t GroupCoordinator::next_deadline() const {
  const std::lock_guard lock(mutex_);
  uint64_t next = kForever;
  for (const Slot& slot : slots_) {
    next = std::min(next, slot.deadline);
  }
  return next;
}

uint64_t GroupCoordinator::tick(uint64_t now) {
  {
    Calls calls;
    std::vector<Slot> gone;  // destroyed after the lock is released
    const std::lock_guard lock(mutex_);
    std::string absent;  // ranks that miss the operation
    size_t count = 0;
    for (uint32_t rank = 0; joined_ && rank < slots_.size(); ++rank) {
      if (!slots_[rank].arrived && ++count <= kMostRanks) {
        absent += (absent.empty() ? "" : ", ") + describe(rank, slots_[rank].member);
      }
    }
    absent += count > kMostRanks ? formatted(" and {} others", count - kMostRanks) : "";
    const std::string waits_for = joined_ ? absent : missing();
    for (Slot& slot : slots_) {
      if (slot.deadline > now) {
        continue;
      }
      slot.deadline = kForever;
      Status status =
          joined_ ? error(GLS_ERR_TIMED_OUT, "{}not here within {} ms: {}",
                          label(slot.kind, done_ + 1), slot.timeout_ms, waits_for)
                        .with("operation", formatted("{} {}", name_of(slot.kind), done_ + 1))
                  : error(GLS_ERR_TIMED_OUT, "joining group \"{}\": within {} ms {}", group_,
                          slot.timeout_ms, waits_for);
      if (!joined_ && &slot == &slots_[0]) {  // a group without rank 0 cannot exist
        break_all(std::move(status), &calls);
        break;
      }
      calls.add(std::move(slot.done), std::move(status));
      if (!joined_) {
        gone.push_back(std::exchange(slot, Slot()));  // its process is about to leave
        slot.member = gone.back().member;
      }
    }
  }
  return next_deadline();
}

size_t GroupCoordinator::refused() const {
  const std::lock_guard lock(mutex_);
  return refused_;
}

std::shared_ptr<void> GroupCoordinator::connection_of(uint32_t rank) const {
  const std::lock_guard lock(mutex_);
  return slots_[rank].connection;
}

size_t GroupCoordinator::joined() const {
  const std::lock_guard lock(mutex_);
  return static_cast<size_t>(
      std::count_if(slots_.begin(), slots_.end(), [](const Slot& slot) { return slot.joined; }));
}

}  // namespace gls::group
