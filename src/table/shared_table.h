// A table that several trainers change together: who writes alone, and who waits for the others.
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

// Beyond that no step is taken.
inline constexpr int64_t kMostSteps = int64_t{1} << 62;

// That a trainer has come: with gradients for a step, or because its share of the rows is loaded.
struct Turn {
  bool loads = false;
  int64_t step = 0;  // the number of the step; of a load, the last one that the rows have taken
  uint32_t rank = 0;
  uint32_t world_size = 1;
  double learning_rate = 0;
  uint64_t token = 0;  // the same when the same is asked again, and never otherwise
  Gradients gradients;
};

struct TableState {
  int64_t step = 0;
  bool loading = false;           // a load was begun and has not ended well
  std::vector<uint32_t> missing;  // ranks that others wait for
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
  // Tells it from any other table, of the same name, too.
  uint64_t number() const { return number_; }
  TableState state() const;

  // An error: the table has no such array, or a row is out of range. `rows` are of this process.
  Status read(Array array, IdSpan rows, std::byte* out) const;
  // `gone`: nobody waits for it any more, and something else may have been written since.
  using Gone = std::function<bool()>;
  Status write(Array array, IdSpan rows, const std::byte* in, const Gone& gone = {});

  // The trainer is here, or the turn was taken already. Does not wait: the last who comes takes the
  // turns of all. An error: it is not here.
  Status come(Turn turn);
  // Until the turn that came is taken. `done` is called once, here or by others.
  using Done = std::function<void(Status)>;
  void wait(uint32_t rank, uint64_t token, Done done, Gone gone = {});
  // It is not here any more. False: it was taken.
  bool withdraw(uint32_t rank, uint64_t token);
  // Steps that wait end, and there are none until a load has ended well.
  Status begin_load(uint32_t rank);
  // Whoever waits gets an error, nothing is taken any more, and the rows are given back.
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
  bool freed_ = false;        // under that
  mutable std::mutex mutex_;  // below here; taken before the other
  int64_t step_ = 0;
  bool loading_ = false;
  bool closed_ = false;
  AllHere here_;                       // of one step or load, by rank
  std::map<uint32_t, uint64_t> last_;  // tokens of the last that was taken, by rank
};

}  // namespace gls::table
