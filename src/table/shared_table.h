// A table that several trainers change together. It synchronises their steps and loads.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <vector>

#include "table/row_table.h"

namespace gls::table {

// No step is taken beyond this.
inline constexpr int64_t kMostSteps = int64_t{1} << 62;

// Reports that a trainer has arrived: with gradients for a step, or because its share of the rows
// is loaded.
struct Turn {
  bool loads = false;
  int64_t step = 0;  // number of the step; for a load, the last step that the rows have taken
  uint32_t rank = 0;
  uint32_t world_size = 1;
  double learning_rate = 0;
  uint64_t token = 0;  // equal for a repeated request, and different for all others
  Gradients gradients;
};

struct TableState {
  int64_t step = 0;
  bool loading = false;           // a load started and has not succeeded yet
  std::vector<uint32_t> missing;  // ranks that other trainers wait for
};

// Any thread.
class SharedTable {
 public:
  SharedTable(std::unique_ptr<RowTable> rows, std::shared_ptr<ThreadPool> pool, uint64_t number)
      : table_(std::move(rows)), pool_(std::move(pool)), number_(number) {}
  ~SharedTable() { close({}); }
  SharedTable(const SharedTable&) = delete;
  SharedTable& operator=(const SharedTable&) = delete;

  const TableOptions& options() const { return table_->options(); }
  int64_t rows() const { return table_->rows(); }
  // Identifies the table, also among tables of the same name.
  uint64_t number() const { return number_; }
  TableState state() const;

  // An error: the table has no such array, or a row is out of range. `rows` are rows in this
  // process.
  Status read(Array array, IdSpan rows, std::byte* out) const;
  // `gone`: the caller does not wait any more, and the memory may have other contents.
  using Gone = std::function<bool()>;
  Status write(Array array, IdSpan rows, const std::byte* in, const Gone& gone = {});

  // The trainer has arrived, or its turn was taken already. Does not wait: the last trainer to
  // arrive takes the turns of all. An error: it did not arrive.
  Status come(Turn turn);
  // Waits until the announced turn is taken. `done` is called once, on this thread or another one.
  using Done = std::function<void(Status)>;
  void wait(uint32_t rank, uint64_t token, Done done, Gone gone = {});
  // Withdraws the trainer's turn. False: the turn was taken.
  bool withdraw(uint32_t rank, uint64_t token);
  // Ends waiting steps; no step is taken until a load has succeeded.
  Status begin_load(uint32_t rank);
  // Ends all waits with an error, accepts nothing more, and frees the rows.
  void close(const std::string& why);

 private:
  struct Waiter {
    Done done;
    Gone gone;
  };
  struct Here {
    Turn turn;
    std::vector<Waiter> waiters;
    bool awaited() const;
  };
  using AllHere = std::map<uint32_t, Here>;
  bool was_taken(uint32_t rank, uint64_t token) const;
  Status check(const Turn& turn) const;
  Status make_way(const Turn& turn, AllHere* ended);
  Status take();
  static void end(AllHere* all, const Status& why);

  const std::unique_ptr<RowTable> table_;
  const std::shared_ptr<ThreadPool> pool_;
  const uint64_t number_;
  mutable std::shared_mutex rows_mutex_;
  bool freed_ = false;        // under that mutex
  mutable std::mutex mutex_;  // protects the members below; locked before the other one
  int64_t step_ = 0;
  bool loading_ = false;
  bool closed_ = false;
  AllHere here_;                       // turns of one step or load, by rank
  std::map<uint32_t, uint64_t> last_;  // tokens of the last turns taken, by rank
};

}  // namespace gls::table
