// Batches that a server makes for its clients: whose turn it is, and what is ready. Everything is
// bounded, and each batch is made once, however many ask for it.
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

class BatchShelf {
 public:
  struct Limits {
    size_t threads = 1;      // batches that are made at once
    size_t most_asked = 32;  // questions of one client that wait
    size_t most_ahead = 4;   // batches of a loader that a client has not asked for yet
    size_t most_ready = 256;
    uint64_t most_ready_bytes = uint64_t{512} << 20;
    // Of what is ready and not asked for, and of what a client said that it would ask for.
    uint64_t most_age_ns = uint64_t{60} * 1000 * 1000 * 1000;
  };
  struct Stats {
    uint64_t made = 0;     // batches, also those that nobody asked for in the end
    uint64_t answers = 0;  // questions that got a batch
    size_t ready = 0;
    uint64_t ready_bytes = 0;
    size_t clients = 0;  // for whom something is kept or made
    size_t planned = 0;  // batches that nobody waits for, and that are not begun yet
  };

  struct Key {
    uint64_t batches = 0;  // of which loader
    uint64_t epoch = 0;
    uint64_t number = 0;
    auto operator<=>(const Key&) const = default;
  };
  // A batch as it is sent, to however many.
  using Item = std::shared_ptr<const net::Message>;
  using Loaded = std::shared_ptr<const void>;  // what batches are made by
  using Make = std::function<Result<Item>(const Key& key, const Loaded& by)>;
  using Done = std::function<void(const Item& item, const Status& status)>;  // NULL: an error
  using ClientId = uintptr_t;
  struct Question {
    ClientId client = 0;
    Key key;
    std::span<const uint64_t> next;  // of the same epoch, that this client will ask for soon
    Loaded by;                       // kept while somebody waits, and not for what is made ahead
    std::function<bool()> wanted;    // whether the client still waits
    Done done;                       // on this thread, or on one of those that make batches
  };

  // `run`: on a thread that may wait for other servers, one after another.
  BatchShelf(const Limits& limits, std::function<void(std::function<void()>)> run, Make make)
      : limits_(limits), run_(std::move(run)), make_(std::move(make)) {}
  ~BatchShelf() { stop(); }
  BatchShelf(const BatchShelf&) = delete;
  BatchShelf& operator=(const BatchShelf&) = delete;

  // Does not wait.
  void ask(Question question);
  // The client is gone, and what was made for it alone goes, too.
  void forget(ClientId client);
  // Nobody will ask for batches of this loader any more, but for those that are waited for.
  void forget_loader(uint64_t batches);
  // What is too old goes; so it does when something is asked, too.
  void tidy();
  // Questions end with an error. Waits for what is being made.
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
    uint64_t serial = 0;  // of all that there were
    std::weak_ptr<const void> by;
    Loaded making_by;       // while it is being made
    uint64_t expected = 0;  // bytes, the same
    std::list<Waiter> waiters;
    Item item;
    uint64_t touched_ns = 0;
    size_t lists = 0;  // of clients that name it, below
  };
  using Entries = std::map<Key, Entry>;
  // Names an entry, and not another one that has its key later.
  struct Listed {
    Key key;
    uint64_t serial = 0;
    bool operator==(const Listed&) const = default;
  };
  struct Plan {
    std::vector<Listed> ahead;  // not asked for yet, made or not
    uint64_t told_ns = 0;
  };
  struct Client {
    size_t waiting = 0;              // questions
    std::deque<Listed> asked;        // to be made
    std::map<uint64_t, Plan> plans;  // by loader
    uint64_t asked_ns = 0;           // when it asked last
  };
  // What batches of a loader have been like.
  struct Size {
    uint64_t bytes = 0;  // of the largest lately
    uint64_t made_ns = 0;
  };
  // What is to go when the lock is free: it may end requests, and give back memory. What is moved
  // here needs no memory for that.
  struct Left {
    std::multimap<Key, Entry> entries;
    std::multimap<Key, Entry> failed;  // who waits is told that there is no memory
    std::list<Waiter> waiters;
  };
  class Locked;

  // Below, all need mutex_.
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
  ClientId turn_ = 0;        // whose batch was begun last
  ClientId ahead_turn_ = 0;  // the same of those that nobody waits for
  size_t running_ = 0;
  size_t active_ = 0;           // the same, until all has been said
  uint64_t running_bytes_ = 0;  // that are expected
  uint64_t ready_bytes_ = 0;
  size_t ready_ = 0;
  uint64_t made_ = 0;
  uint64_t answers_ = 0;
  bool stopped_ = false;
  Left left_;  // until the lock is free
};

}  // namespace gls
