#include "storage/window_plan.h"

#include <algorithm>
#include <array>
#include <utility>

#include "storage/keep_plan.h"

namespace gls {
namespace {

// After the batches of both windows: ends of rows whose next use is unknown, the most used first.
constexpr size_t kUnknownEnds = 4;

size_t unknown_end(size_t batches, size_t uses) {
  return batches + 1 + (kUnknownEnds - std::clamp<size_t>(uses, 1, kUnknownEnds));
}

}  // namespace

WindowPlan plan_window(std::span<const RowList> now, std::span<const RowList> next,
                       const RowList& before, uint64_t num_rows, uint64_t capacity, uint64_t placed,
                       std::shared_ptr<SpillMemory> memory) {
  WindowPlan plan;
  plan.batches = now.size();
  const size_t batches = now.size() + next.size();
  plan.ends = batches + 1 + kUnknownEnds;
  plan.missed.resize(now.size() + 1);
  std::vector<const RowList*> lists = {&before};
  lists.reserve(batches + 1);
  for (const auto& window : {now, next}) {
    for (const RowList& rows : window) {
      lists.push_back(&rows);
    }
  }
  const bool moved = memory != nullptr;
  plan.moves.resize(now.size() + 1);
  for (size_t batch = 0; moved && batch <= now.size(); ++batch) {
    plan.moves[batch] = memory->take<RowMove>(lists[batch]->size());
  }
  plan.memory = std::move(memory);

  ReuseCounts counts(1, plan.ends);
  std::vector<uint32_t> uses;
  const auto with_end = [&](std::span<const uint32_t> users) {
    uses.assign(users.begin(), users.end());
    const size_t real = users.size() - (users[0] == 0 ? 1 : 0);
    uses.push_back(static_cast<uint32_t>(unknown_end(batches, real)));
  };
  std::vector<uint32_t> first_uses(now.size() + 1);  // of rows that are not in memory, by batch
  visit_rows(lists, num_rows, [&](uint64_t, std::span<const uint32_t> users) {
    with_end(users);
    counts.add(0, uses);
    if (users[0] > 0 && users[0] <= now.size()) {
      ++first_uses[users[0]];
    }
  });
  // Rows that are first used until this batch may be placed.
  size_t last_placed = 0;
  for (uint64_t room = placed; last_placed < now.size(); ++last_placed) {
    const uint32_t rows = first_uses[last_placed + 1];
    if (rows > room) {
      break;
    }
    room -= rows;
    counts.add_intervals(0, 0, last_placed + 1, rows);
  }
  constexpr std::array<uint64_t, 1> kOne = {1};
  const KeepPlan keep = KeepPlan::make(counts, kOne, capacity);

  KeepCursor cursor(keep);
  std::vector<size_t> at(now.size() + 1);  // the next move of each batch
  visit_rows(lists, num_rows, [&](uint64_t row, std::span<const uint32_t> users) {
    with_end(users);
    uint16_t from = RowMove::kNone;
    if (users[0] > 0 && users[0] <= last_placed && cursor.next(0, 0, users[0])) {
      from = RowMove::kPlaced;
      plan.placed.push_back(static_cast<uint16_t>(users[0]));
    }
    for (size_t i = 0; i + 1 < uses.size() && uses[i] <= now.size(); ++i) {
      const bool stays = cursor.next(0, uses[i], uses[i + 1]);
      const RowMove move = {from, stays ? static_cast<uint16_t>(uses[i + 1]) : RowMove::kNone};
      if (moved) {
        plan.moves[uses[i]][at[uses[i]]++] = move;
      }
      if (uses[i] > 0) {
        ++plan.uses;
        plan.misses += from == RowMove::kNone ? 1 : 0;
        plan.missed[uses[i]] += from == RowMove::kNone ? 1 : 0;
      }
      from = stays ? static_cast<uint16_t>(uses[i]) : RowMove::kNone;
      if (stays && uses[i + 1] > now.size()) {
        plan.left.add(row);
        if (moved) {
          plan.left_moves.push_back({from, move.until});
        }
      }
    }
  });
  plan.peak = keep.peak_bytes(now.size());
  return plan;
}

}  // namespace gls
