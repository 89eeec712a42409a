// Schedules the batches that a server makes for its clients, and keeps finished ones. All queues
// and memory are bounded. Each batch is made once, however many clients request it.
#pragma once

#include <compare>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "base/status.h"
#include "net/core/message.h"

namespace gls {

class BatchScheduler {
 public:
  struct Limits {
    size_t threads = 1;      // batches made at the same time
    size_t most_asked = 32;  // requests of one client that wait
    size_t most_ahead = 4;   // batches of a loader made before a client requests them
    size_t most_ready = 256;
    uint64_t most_ready_bytes = uint64_t{512} << 20;
    // The age limit of finished batches without a request, and of a client's announced batches.
    uint64_t most_age_ns = uint64_t{60} * 1000 * 1000 * 1000;
  };
  struct Stats {
    uint64_t made = 0;     // batches, including those that no client requested in the end
    uint64_t answers = 0;  // requests that received a batch
    size_t ready = 0;
    uint64_t ready_bytes = 0;
    size_t clients = 0;  // clients that the server keeps or makes batches for
    size_t planned = 0;  // announced batches that no client waits for, and that have not started
  };

  struct Key {
    uint64_t batches = 0;  // the loader's number
    uint64_t epoch = 0;
    uint64_t number = 0;
    auto operator<=>(const Key&) const = default;
  };
  // A batch as it is sent, to any number of clients.
  using Item = std::shared_ptr<const net::Message>;
  using Loaded = std::shared_ptr<const void>;  // the loader that makes the batches
  using Make = std::function<Result<Item>(const Key& key, const Loaded& by)>;
  using Done = std::function<void(const Item& item, const Status& status)>;  // NULL: an error
  using ClientId = uintptr_t;
  struct Question {
    ClientId client = 0;
    Key key;
    std::span<const uint64_t> next;  // of the same epoch, which this client will request soon
    Loaded by;                       // kept while a client waits, but not for batches made ahead
    std::function<bool()> wanted;    // whether the client still waits
    Done done;                       // called on this thread, or on a thread that makes batches
  };

  // `run`: runs a function on a thread that may wait for other servers, one after another.
  BatchScheduler(const Limits& limits, std::function<void(std::function<void()>)> run, Make make)
      : limits_(limits), run_(std::move(run)), make_(std::move(make)) {}
  ~BatchScheduler() { stop(); }
  BatchScheduler(const BatchScheduler&) = delete;
  BatchScheduler& operator=(const BatchScheduler&) = delete;

  // Does not wait.
  void ask(Question question);
  // The client is lost: drops the batches that were made for it alone.
  void forget(ClientId client);
  // No client will request batches of this loader again. Batches that clients wait for stay.
  void forget_loader(uint64_t batches);
  // Drops what is too old. ask() does so, too.
  void tidy();
  // Ends requests with an error. Waits for batches that are being made.
  void stop();
  Stats stats() const;

 private:
  enum class State : uint8_t { kQueued, kMaking, kReady };
  struct Waiter {
    ClientId client;
    std::function<bool()> wanted;
    Done done;
    Loaded by;
  };
  struct Entry {
    State state = State::kQueued;
    uint64_t serial = 0;  // number of the entry among all entries so far
    std::weak_ptr<const void> by;
    Loaded making_by;       // set while it is being made
    uint64_t expected = 0;  // expected bytes
    std::list<Waiter> waiters;
    Item item;
    uint64_t touched_ns = 0;
    size_t lists = 0;  // lists of clients, below, that name it
  };
  using Entries = std::map<Key, Entry>;
  // Names one entry, and not a later one with the same key.
  struct Listed {
    Key key;
    uint64_t serial = 0;
    bool operator==(const Listed&) const = default;
  };
  struct Plan {
    std::vector<Listed> ahead;  // not requested yet, finished or not
    uint64_t told_ns = 0;
  };
  struct Client {
    size_t waiting = 0;              // requests that wait
    std::deque<Listed> asked;        // batches to make
    std::map<uint64_t, Plan> plans;  // by loader
    uint64_t asked_ns = 0;           // time of its last request
  };
  // Statistics of a loader's batches.
  struct Size {
    uint64_t bytes = 0;  // of the largest recent one
    uint64_t made_ns = 0;
  };
  // Collects what must be destroyed after the lock is released, since it may end requests and free
  // memory. Moving objects here needs no memory.
  struct Left {
    std::multimap<Key, Entry> entries;
    std::multimap<Key, Entry> failed;  // its clients receive an out-of-memory error
    std::list<Waiter> waiters;
  };
  class Locked;

  // Functions below need mutex_.
  Entry* find(const Listed& listed);
  Entries::iterator add(const Key& key, const Loaded& by, bool* is_new);
  void add_waiter(Question& question, Client& client);
  void plan_ahead(const Question& question, Client& client);
  void unlist(const Listed& listed);
  void start();
  bool next_asked(Key* key);
  bool next_ahead(Key* key);
  bool has_room(const Key& key) const;
  void gave_up(const Waiter& waiter);
  void leave(Entry& entry, std::list<Waiter>::iterator waiter);
  void drop(Entries::iterator entry);
  void unlist_all(const Client& client);
  void drop_if_alone();
  void sweep();
  void work(const Key& key);
  void keep(Entries::iterator entry, const Item& item);

  const Limits limits_;
  const std::function<void(std::function<void()>)> run_;
  const Make make_;
  mutable std::mutex mutex_;
  std::condition_variable idle_;
  Entries entries_;
  std::map<ClientId, Client> clients_;
  std::map<uint64_t, Size> sizes_;  // by loader
  uint64_t serials_ = 0;
  ClientId turn_ = 0;        // the client whose batch was started last
  ClientId ahead_turn_ = 0;  // the same for batches made ahead
  size_t running_ = 0;
  size_t active_ = 0;           // batches in work, until all clients have been answered
  uint64_t running_bytes_ = 0;  // expected bytes of batches in work
  uint64_t ready_bytes_ = 0;
  size_t ready_ = 0;
  uint64_t made_ = 0;
  uint64_t answers_ = 0;
  bool stopped_ = false;
  Left left_;  // destroyed after the lock is released
};

}  // namespace gls
