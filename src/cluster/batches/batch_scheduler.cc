#include "cluster/batches/batch_scheduler.h"

#include <algorithm>
#include <exception>
#include <iterator>
#include <utility>

#include "base/clock.h"
#include "cluster/wire/batch_messages.h"
#include "context/parallel.h"

namespace gls {
namespace {

Status shelf_stopped() { return error(GLS_ERR_INVALID_STATE, "the server stops"); }

}  // namespace

// Holds the lock, and destroys what was left after releasing it.
class BatchScheduler::Locked {
 public:
  explicit Locked(BatchScheduler& shelf) : shelf_(shelf), lock_(shelf.mutex_) {}
  ~Locked() {
    Left left;
    std::swap(left, shelf_.left_);
    lock_.unlock();
    const Status no_memory = Status::out_of_memory();
    for (auto& [key, entry] : left.failed) {
      for (const Waiter& waiter : entry.waiters) {
        tell(waiter, nullptr, no_memory);
      }
    }
  }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;

  static void tell(const Waiter& waiter, const Item& item, const Status& status) {
    static_cast<void>(guarded([&]() -> Status {
      waiter.done(item, status);
      return {};
    }));
  }

 private:
  BatchScheduler& shelf_;
  std::unique_lock<std::mutex> lock_;
};

void BatchScheduler::ask(Question question) {
  Item ready;
  Status refused;
  {
    const Locked locked(*this);
    sweep();
    Client& client = clients_[question.client];
    client.asked_ns = now_ns();
    const auto found = entries_.find(question.key);
    if (stopped_) {
      refused = shelf_stopped();
    } else if (found != entries_.end() && found->second.state == State::kReady) {
      found->second.touched_ns = now_ns();
      ready = found->second.item;
      ++answers_;
      plan_ahead(question, client);
    } else if (client.waiting >= limits_.most_asked) {
      refused = cluster::too_many_asked(limits_.most_asked);
    } else {
      add_waiter(question, client);
      plan_ahead(question, client);
    }
    start();
  }
  if (ready != nullptr) {
    question.done(ready, {});
  } else if (!refused.ok()) {
    question.done(nullptr, refused);
  }
}

BatchScheduler::Entries::iterator BatchScheduler::add(const Key& key, const Loaded& by,
                                                      bool* is_new) {
  const auto [entry, added] = entries_.try_emplace(key);
  if (added) {
    entry->second.serial = ++serials_;
    entry->second.by = by;
  }
  *is_new = added;
  return entry;
}

BatchScheduler::Entry* BatchScheduler::find(const Listed& listed) {
  const auto found = entries_.find(listed.key);
  return found != entries_.end() && found->second.serial == listed.serial ? &found->second
                                                                          : nullptr;
}

void BatchScheduler::add_waiter(Question& question, Client& client) {
  bool is_new = false;
  Entry& entry = add(question.key, question.by, &is_new)->second;
  entry.waiters.push_back(
      {question.client, std::move(question.wanted), std::move(question.done), question.by});
  ++client.waiting;
  if (entry.state == State::kQueued) {
    client.asked.push_back({question.key, entry.serial});
    ++entry.lists;
  }
}

// Plans the batches that this client will request next and that were neither requested nor made
// yet. Earlier plans for the client that it no longer names are dropped, since it went to another
// server.
void BatchScheduler::plan_ahead(const Question& question, Client& client) {
  Plan& plan = client.plans[question.key.batches];
  plan.told_ns = now_ns();
  std::vector<Listed> old;
  old.reserve(limits_.most_ahead);
  old.swap(plan.ahead);
  const auto is_listed = [](const std::vector<Listed>& list, const Listed& one) {
    return std::find(list.begin(), list.end(), one) != list.end();
  };
  const Status status = guarded([&]() -> Status {
    for (const uint64_t number : question.next) {
      if (plan.ahead.size() >= limits_.most_ahead) {
        break;
      }
      const Key key{question.key.batches, question.key.epoch, number};
      if (key == question.key) {
        continue;
      }
      bool is_new = false;
      Entry& entry = add(key, question.by, &is_new)->second;
      const Listed listed{key, entry.serial};
      if ((!is_new && !is_listed(old, listed)) || is_listed(plan.ahead, listed)) {
        continue;  // it belongs to another client, was requested, or was named twice
      }
      ++entry.lists;
      plan.ahead.push_back(listed);
    }
    return {};
  });
  static_cast<void>(status);  // planning is optional, so its failure is ignored
  for (const Listed& listed : old) {
    unlist(listed);
  }
  if (plan.ahead.empty()) {
    client.plans.erase(question.key.batches);
  }
}

void BatchScheduler::unlist(const Listed& listed) {
  Entry* const entry = find(listed);
  if (entry == nullptr) {
    return;  // it was removed already, to make room
  }
  --entry->lists;
  if (entry->lists == 0 && entry->state == State::kQueued && entry->waiters.empty()) {
    drop(entries_.find(listed.key));
  }
}

void BatchScheduler::drop(Entries::iterator entry) {
  if (entry->second.state == State::kReady) {
    ready_bytes_ -= entry->second.item->capacity();
    --ready_;
  }
  left_.entries.insert(entries_.extract(entry));
}

void BatchScheduler::gave_up(const Waiter& waiter) {
  if (const auto client = clients_.find(waiter.client); client != clients_.end()) {
    client->second.waiting -= client->second.waiting > 0 ? 1 : 0;
  }
}

// Removes a client that no longer waits.
void BatchScheduler::leave(Entry& entry, std::list<Waiter>::iterator waiter) {
  gave_up(*waiter);
  left_.waiters.splice(left_.waiters.end(), entry.waiters, waiter);
}

// Evicts beyond the limits: first what was not requested for the longest time, last what a client
// will request soon. It also drops what is too old: finished batches, plans, and clients forgotten
// before their last request came.
void BatchScheduler::sweep() {
  const uint64_t now = now_ns();
  const auto is_old = [&](uint64_t then_ns) { return now - then_ns > limits_.most_age_ns; };
  for (auto at = entries_.begin(); at != entries_.end();) {
    const auto next = std::next(at);
    if (at->second.state == State::kReady && is_old(at->second.touched_ns)) {
      drop(at);
    }
    at = next;
  }
  while (ready_ > limits_.most_ready || ready_bytes_ > limits_.most_ready_bytes) {
    auto oldest = entries_.end();
    const auto order = [](const Entry& entry) {
      return std::pair(entry.lists > 0, entry.touched_ns);
    };
    for (auto at = entries_.begin(); at != entries_.end(); ++at) {
      if (at->second.state == State::kReady &&
          (oldest == entries_.end() || order(at->second) < order(oldest->second))) {
        oldest = at;
      }
    }
    drop(oldest);
  }
  for (auto at = clients_.begin(); at != clients_.end();) {
    const auto next = std::next(at);
    Client& client = at->second;
    for (auto plan = client.plans.begin(); plan != client.plans.end();) {
      const auto next_plan = std::next(plan);
      if (is_old(plan->second.told_ns)) {
        for (const Listed& listed : plan->second.ahead) {
          unlist(listed);
        }
        client.plans.erase(plan);
      }
      plan = next_plan;
    }
    if (client.waiting == 0 && is_old(client.asked_ns)) {
      unlist_all(client);
      clients_.erase(at);
    }
    at = next;
  }
  std::erase_if(sizes_, [&](const auto& size) { return is_old(size.second.made_ns); });
}

void BatchScheduler::unlist_all(const Client& client) {
  for (const Listed& listed : client.asked) {
    unlist(listed);  // other clients may wait for it, and have it in their own lists
  }
  for (const auto& [batches, plan] : client.plans) {
    for (const Listed& listed : plan.ahead) {
      unlist(listed);
    }
  }
}

// Finished batches are kept only while clients are connected.
void BatchScheduler::drop_if_alone() {
  for (auto at = entries_.begin(); clients_.empty() && at != entries_.end();) {
    const auto next = std::next(at);
    if (at->second.state == State::kReady) {
      drop(at);
    }
    at = next;
  }
}

// ---- scheduling -------------------------------------------------------------------------------

void BatchScheduler::start() {
  Key key;
  while (!stopped_ && running_ < limits_.threads && (next_asked(&key) || next_ahead(&key))) {
    const auto found = entries_.find(key);
    Entry& entry = found->second;
    entry.making_by = entry.waiters.empty() ? entry.by.lock() : entry.waiters.front().by;
    if (entry.making_by == nullptr) {
      drop(found);  // its loader was dropped, and no client waits for it
      continue;
    }
    entry.state = State::kMaking;
    try {
      Size& size = sizes_[key.batches];
      size.made_ns = now_ns();  // close to the time when it will be finished
      entry.expected = size.bytes;
      run_([this, key] { work(key); });
      ++running_;
      ++active_;
      running_bytes_ += entry.expected;
    } catch (const std::exception&) {
      for (const Waiter& waiter : entry.waiters) {
        gave_up(waiter);
      }
      left_.failed.insert(entries_.extract(found));
    }
  }
}

// Serves clients round-robin, and the requests of each client in order.
bool BatchScheduler::next_asked(Key* key) {
  for (size_t left = clients_.size(); left > 0; --left) {
    auto client = clients_.upper_bound(turn_);
    client = client == clients_.end() ? clients_.begin() : client;
    turn_ = client->first;
    std::deque<Listed>& asked = client->second.asked;
    while (!asked.empty()) {
      const Listed listed = asked.front();
      asked.pop_front();
      Entry* const entry = find(listed);
      if (entry == nullptr) {
        continue;
      }
      for (auto at = entry->waiters.begin();
           entry->state == State::kQueued && at != entry->waiters.end();) {
        const auto next = std::next(at);
        if (!at->wanted()) {
          leave(*entry, at);
        }
        at = next;
      }
      const bool begin = entry->state == State::kQueued && !entry->waiters.empty();
      unlist(listed);
      if (begin) {
        *key = listed.key;
        return true;
      }
    }
  }
  return false;
}

bool BatchScheduler::next_ahead(Key* key) {
  for (size_t left = clients_.size(); left > 0; --left) {
    auto client = clients_.upper_bound(ahead_turn_);
    client = client == clients_.end() ? clients_.begin() : client;
    ahead_turn_ = client->first;
    for (const auto& [batches, plan] : client->second.plans) {
      for (const Listed& one : plan.ahead) {
        const Entry* const entry = find(one);
        if (entry != nullptr && entry->state == State::kQueued) {
          if (!has_room(one.key)) {
            break;  // applies to this loader; batches of other loaders may be smaller
          }
          *key = one.key;
          return true;
        }
      }
    }
  }
  return false;
}

// Half of the memory is for batches made ahead.
bool BatchScheduler::has_room(const Key& key) const {
  uint64_t promised = running_bytes_;
  for (const auto& [other, entry] : entries_) {
    promised += entry.state == State::kReady && entry.lists > 0 ? entry.item->capacity() : 0;
  }
  const auto size = sizes_.find(key.batches);
  return promised + (size != sizes_.end() ? size->second.bytes : 0) <= limits_.most_ready_bytes / 2;
}

// ---- work --------------------------------------------------------------------------------------

// Catches every exception, so that clients receive an answer and the thread continues.
void BatchScheduler::work(const Key& key) {
  Loaded by;
  {
    const Locked locked(*this);
    by = entries_.at(key).making_by;  // an entry that is being made stays
  }
  Item item;
  const Status status = guarded([&]() -> Status {
    GLS_ASSIGN(item, make_(key, by));
    return {};
  });
  std::list<Waiter> waiters;
  {
    const Locked locked(*this);
    const auto entry = entries_.find(key);
    while (!entry->second.waiters.empty()) {
      leave(entry->second, entry->second.waiters.begin());
    }
    waiters.swap(left_.waiters);
    --running_;
    running_bytes_ -= entry->second.expected;
    if (status.ok()) {
      ++made_;
      answers_ += waiters.size();
    }
    keep(entry, status.ok() ? item : nullptr);
    sweep();
    drop_if_alone();
    start();
  }
  for (const Waiter& waiter : waiters) {
    Locked::tell(waiter, item, status);
  }
  waiters.clear();
  item = nullptr;
  by = nullptr;
  const std::lock_guard lock(mutex_);
  --active_;
  idle_.notify_all();  // last: this object may be destroyed after the lock is released
}

// Keeps a finished batch for later requests; NULL: the batch failed. It must not evict all others.
void BatchScheduler::keep(Entries::iterator entry, const Item& item) {
  entry->second.making_by = nullptr;  // the thread that made it still holds a reference
  if (item == nullptr) {
    drop(entry);
    return;
  }
  if (const auto size = sizes_.find(entry->first.batches); size != sizes_.end()) {
    // The estimate shrinks slowly, because batches differ.
    size->second.bytes = std::max(item->capacity(), size->second.bytes - size->second.bytes / 8);
    size->second.made_ns = now_ns();
  }
  if (item->capacity() > limits_.most_ready_bytes) {
    drop(entry);
    return;
  }
  entry->second.state = State::kReady;
  entry->second.item = item;
  entry->second.touched_ns = now_ns();
  ready_bytes_ += item->capacity();
  ++ready_;
}

void BatchScheduler::forget(ClientId client) {
  const Locked locked(*this);
  const auto found = clients_.find(client);
  if (found == clients_.end()) {
    return;
  }
  for (auto& [key, entry] : entries_) {
    for (auto at = entry.waiters.begin(); at != entry.waiters.end();) {
      const auto next = std::next(at);
      if (at->client == client) {
        leave(entry, at);
      }
      at = next;
    }
  }
  const Client left = std::move(found->second);
  clients_.erase(found);
  unlist_all(left);
  sweep();
  drop_if_alone();
  start();
}

void BatchScheduler::forget_loader(uint64_t batches) {
  const Locked locked(*this);
  for (auto& [id, client] : clients_) {
    const auto plan = client.plans.find(batches);
    if (plan == client.plans.end()) {
      continue;
    }
    for (const Listed& listed : plan->second.ahead) {
      unlist(listed);
    }
    client.plans.erase(plan);
  }
  const auto of_loader = [&](const Key& key) { return key.batches == batches; };
  for (auto at = entries_.lower_bound({batches, 0, 0});
       at != entries_.end() && of_loader(at->first);) {
    const auto next = std::next(at);
    if (at->second.state == State::kReady) {
      drop(at);
    }
    at = next;
  }
  sizes_.erase(batches);
  start();
}

void BatchScheduler::tidy() {
  const Locked locked(*this);
  sweep();
  drop_if_alone();
  start();  // more batches may fit now
}

void BatchScheduler::stop() {
  std::list<Waiter> waiters;
  Left left;
  {
    std::unique_lock lock(mutex_);
    stopped_ = true;
    idle_.wait(lock, [this] { return active_ == 0; });
    for (auto& [key, entry] : entries_) {
      waiters.splice(waiters.end(), entry.waiters);
    }
    left.entries.merge(entries_);
    entries_.clear();
    clients_.clear();
    sizes_.clear();
    ready_ = 0;
    ready_bytes_ = 0;
  }
  const Status why = shelf_stopped();
  for (const Waiter& waiter : waiters) {
    Locked::tell(waiter, nullptr, why);
  }
}

BatchScheduler::Stats BatchScheduler::stats() const {
  const std::lock_guard lock(mutex_);
  Stats out{made_, answers_, ready_, ready_bytes_, clients_.size(), 0};
  for (const auto& [key, entry] : entries_) {
    out.planned += entry.state == State::kQueued && entry.waiters.empty() ? 1 : 0;
  }
  return out;
}

}  // namespace gls
