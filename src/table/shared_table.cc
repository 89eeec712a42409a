#include "table/shared_table.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <utility>

#include "context/parallel.h"

namespace gls::table {
namespace {

std::string words_of(const Turn& turn) {
  return turn.loads ? formatted("loads step {}", turn.step) : formatted("takes step {}", turn.step);
}

Status check_rows(IdSpan rows, int64_t count) {
  const int64_t outside = rows.find_outside(count);
  return outside < 0 ? Status()
                     : invalid("row {} is there, expected 0 to {}", rows[outside], count - 1);
}

Status dropped() { return error(GLS_ERR_INVALID_STATE, "it was dropped"); }

}  // namespace

TableState SharedTable::state() const {
  const std::lock_guard lock(mutex_);
  TableState out;
  out.step = step_;
  out.loading = loading_;
  const uint32_t world_size = here_.empty() ? 0 : here_.begin()->second.turn.world_size;
  for (uint32_t rank = 0; rank < world_size; ++rank) {
    if (!here_.contains(rank)) {
      out.missing.push_back(rank);
    }
  }
  return out;
}

// ---- rows ----

Status SharedTable::read(Array array, IdSpan rows, std::byte* out) const {
  if (table_->form(array) == nullptr) {
    return invalid("it has no array {}", static_cast<int>(array));
  }
  GLS_TRY(check_rows(rows, table_->rows()));
  const std::shared_lock lock(rows_mutex_);
  if (freed_) {
    return dropped();
  }
  table_->read(array, rows, out);
  return {};
}

Status SharedTable::write(Array array, IdSpan rows, const std::byte* in, const Gone& gone) {
  if (table_->form(array) == nullptr) {
    return invalid("it has no array {}", static_cast<int>(array));
  }
  GLS_TRY(check_rows(rows, table_->rows()));
  const std::unique_lock lock(rows_mutex_);
  if (freed_) {
    return dropped();
  }
  if (gone && gone()) {
    return error(GLS_ERR_CANCELED, "nobody waits for it any more");
  }
  table_->write(array, rows, in);
  return {};
}

// ---- turns ----

bool SharedTable::Here::awaited() const {
  return std::any_of(waiters.begin(), waiters.end(),
                     [](const Waiter& waiter) { return !waiter.gone || !waiter.gone(); });
}

bool SharedTable::was_taken(uint32_t rank, uint64_t token) const {
  const auto last = last_.find(rank);
  return last != last_.end() && last->second == token;
}

Status SharedTable::check(const Turn& turn) const {
  if (closed_) {
    return dropped();
  }
  if (turn.world_size == 0 || turn.world_size > kMostTrainers || turn.rank >= turn.world_size) {
    return invalid("rank is {} of {}, expected fewer than {}", turn.rank, turn.world_size,
                   kMostTrainers + 1)
        .with("argument", "rank");
  }
  if (turn.loads) {
    if (turn.step < 0 || turn.step >= kMostSteps) {
      return invalid("step is {}", turn.step);
    }
    return loading_ ? Status() : error(GLS_ERR_INVALID_STATE, "no load was begun");
  }
  if (options().optimizer == Optimizer::kNone) {
    return error(GLS_ERR_INVALID_STATE, "the table has no optimizer");
  }
  if (!std::isfinite(static_cast<float>(turn.learning_rate))) {
    return invalid("learning_rate is {}", turn.learning_rate).with("argument", "learning_rate");
  }
  if (loading_) {
    return error(GLS_ERR_INVALID_STATE, "it is being loaded, or was not loaded to the end");
  }
  if (turn.step != step_ + 1 || turn.step >= kMostSteps) {
    return error(GLS_ERR_INVALID_STATE,
                 "step {} is to be taken, and the table has taken {}: it is to be loaded",
                 turn.step, step_);
  }
  const auto& rows = turn.gradients.rows;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (rows[i] < 0 || rows[i] >= table_->rows() || (i > 0 && rows[i] <= rows[i - 1])) {
      return invalid("gradients of row {} are out of order or range", rows[i]);
    }
  }
  return {};
}

// Checks that the waiting turns belong to the same step or load, and drops those whose callers no
// longer wait.
Status SharedTable::make_way(const Turn& turn, AllHere* ended) {
  if (const auto own = here_.find(turn.rank); own != here_.end()) {
    if (own->second.turn.token == turn.token) {
      return {};
    }
    if (own->second.awaited()) {
      return invalid("rank {} is here already, with other gradients: two trainers have it",
                     turn.rank)
          .with("argument", "rank");
    }
    ended->insert(here_.extract(own));
  }
  if (here_.empty()) {
    return {};
  }
  const Turn& other = here_.begin()->second.turn;
  if (other.loads == turn.loads && other.step == turn.step && other.world_size == turn.world_size &&
      (turn.loads || other.learning_rate == turn.learning_rate)) {
    return {};
  }
  if (std::none_of(here_.begin(), here_.end(),
                   [](const auto& entry) { return entry.second.awaited(); })) {
    ended->merge(here_);
    return {};
  }
  if (other.world_size != turn.world_size) {
    return invalid("world_size is {}, and that of rank {} is {}", turn.world_size, other.rank,
                   other.world_size)
        .with("argument", "world_size");
  }
  if (other.loads != turn.loads || other.step != turn.step) {
    return error(GLS_ERR_INVALID_STATE, "rank {} {}, and rank {} {}", turn.rank, words_of(turn),
                 other.rank, words_of(other));
  }
  return invalid("learning_rate is {}, and that of rank {} is {}", turn.learning_rate, other.rank,
                 other.learning_rate)
      .with("argument", "learning_rate");
}

// All trainers have arrived. Nothing fails once rows change.
Status SharedTable::take() {
  const Turn& first = here_.begin()->second.turn;
  std::map<uint32_t, uint64_t> tokens;
  std::vector<const Gradients*> all;
  for (const auto& [rank, here] : here_) {
    tokens.emplace(rank, here.turn.token);
    all.push_back(&here.turn.gradients);
  }
  if (first.loads) {
    loading_ = false;
  } else {
    StepPlan plan = table_->plan(all);
    const std::unique_lock lock(rows_mutex_);
    GLS_TRY(table_->apply(&plan, first.learning_rate, first.step, *pool_));
  }
  step_ = first.step;
  last_.swap(tokens);
  return {};
}

Status SharedTable::come(Turn turn) {
  AllHere given_up;
  AllHere taken;
  Status status;
  {
    const std::lock_guard lock(mutex_);
    const uint32_t rank = turn.rank;
    const uint32_t world_size = turn.world_size;
    if (!closed_ && was_taken(rank, turn.token) && turn.step == step_) {
      return {};
    }
    GLS_TRY(check(turn));
    status = make_way(turn, &given_up);
    if (status.ok()) {
      here_[rank].turn = std::move(turn);
      if (here_.size() == world_size) {
        // Without memory, the other trainers keep waiting; the last one may send its turn again.
        status = guarded([this] { return take(); });
        if (status.ok()) {
          taken.swap(here_);
        } else {
          given_up.insert(here_.extract(rank));
        }
      }
    }
  }
  end(&given_up, error(GLS_ERR_INVALID_STATE, "another trainer came in its place"));
  end(&taken, {});
  return status;
}

void SharedTable::wait(uint32_t rank, uint64_t token, Done done, Gone gone) {
  Status status;
  {
    const std::lock_guard lock(mutex_);
    const auto own = here_.find(rank);
    if (own != here_.end() && own->second.turn.token == token) {
      // Waiters of lost or abandoned calls would never be released.
      std::erase_if(own->second.waiters,
                    [](const Waiter& waiter) { return waiter.gone && waiter.gone(); });
      own->second.waiters.push_back({std::move(done), std::move(gone)});
      return;
    }
    if (closed_) {
      status = dropped();
    } else if (!was_taken(rank, token)) {
      status = error(GLS_ERR_INVALID_STATE, "rank {} is not here any more", rank);
    }
  }
  done(std::move(status));
}

bool SharedTable::withdraw(uint32_t rank, uint64_t token) {
  AllHere ended;
  bool taken = false;
  {
    const std::lock_guard lock(mutex_);
    taken = was_taken(rank, token);
    if (const auto own = here_.find(rank); own != here_.end() && own->second.turn.token == token) {
      ended.insert(here_.extract(own));
    }
  }
  end(&ended, error(GLS_ERR_INVALID_STATE, "rank {} gave it up", rank));
  return !taken;
}

Status SharedTable::begin_load(uint32_t rank) {
  AllHere ended;
  {
    const std::lock_guard lock(mutex_);
    if (closed_) {
      return dropped();
    }
    loading_ = true;
    if (!here_.empty() && !here_.begin()->second.turn.loads) {
      ended.swap(here_);
    }
  }
  end(&ended, error(GLS_ERR_INVALID_STATE, "it is loaded by rank {}", rank));
  return {};
}

void SharedTable::close(const std::string& why) {
  AllHere ended;
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    ended.swap(here_);
    const std::unique_lock rows_lock(rows_mutex_);
    freed_ = true;
    table_->free();
  }
  end(&ended, error(GLS_ERR_INVALID_STATE, "{}", why));
}

void SharedTable::end(AllHere* all, const Status& why) {
  for (auto& [rank, here] : *all) {
    for (Waiter& waiter : here.waiters) {
      try {
        waiter.done(why.copy());
      } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch)
        // A waiter that cannot be notified sees that its call has ended.
      }
    }
  }
}

}  // namespace gls::table
