#include "loader/planned/run_memory.h"

#include <algorithm>

#include "storage/window_plan.h"
#include "system/cpu.h"

namespace gls {
namespace {

// Bytes in memory for each use of a row, if no temporary file holds them: its number and its moves
// in the windows under way, and what a plan needs for a while.
constexpr uint64_t kBytesOfUse = 24;
constexpr double kFirstSeconds = 1;  // to read the first window
// Beside the row: its place in queues, and its moves.
constexpr uint64_t kBytesOfSlot = 24;
constexpr uint64_t kSpareParts = 16;

}  // namespace

uint64_t memory_for_rows(uint64_t memory, uint64_t mapped, uint64_t ahead) {
  constexpr uint64_t kLeast = 16;
  const uint64_t left = memory - std::min(memory, mapped);
  return std::max(left - std::min(left, ahead), memory / kLeast);
}

bool samples_in_passes(uint64_t topology, uint64_t memory) { return topology > memory / 2; }

uint64_t sampling_bytes(uint64_t topology, uint64_t memory, bool in_passes) {
  constexpr uint64_t kPart = 8;
  return in_passes ? memory / kPart : topology;
}

uint64_t pass_chunk_bytes(uint64_t memory) {
  constexpr uint64_t kPart = 64;
  constexpr uint64_t kLeast = uint64_t{4} << 10;
  constexpr uint64_t kMost = uint64_t{64} << 20;
  return std::clamp(memory / kPart, kLeast, kMost);
}

uint64_t ahead_bytes(uint64_t given) {
  constexpr uint64_t kMost = uint64_t{1} << 30;
  return given != 0 ? given : std::min(kMost, usable_memory() / 4);
}

uint64_t planned_ahead_bytes(uint64_t given, uint64_t memory) {
  constexpr uint64_t kEnough = uint64_t{1} << 28;
  const uint64_t part = std::max(memory / 16, std::min(memory / 8, kEnough));
  return given != 0 ? given : std::min(ahead_bytes(0), part);
}

RunMemory RunMemory::divide(uint64_t bytes, bool spilled) {
  const uint64_t part = bytes / 8;
  if (!spilled) {
    return {3 * part, 2 * part, part, part, part};
  }
  // Some packs, and long requests, are enough.
  constexpr uint64_t kEnoughForPacks = uint64_t{1} << 27;
  constexpr uint64_t kEnoughForRequests = uint64_t{3} << 26;
  const uint64_t packs = std::min(part, std::max(kEnoughForPacks, bytes / 16));
  const uint64_t requests = std::min(part, kEnoughForRequests);
  const uint64_t idle = (packs + requests) / 2;
  return {bytes - packs - requests - idle, 0, packs, requests, idle};
}

uint64_t kept_slots(const std::vector<PlannedColumn>& columns, size_t column, uint64_t kept) {
  double all = 0;  // bytes, if all rows were kept
  for (const PlannedColumn& of : columns) {
    all += static_cast<double>(of.row_bytes + kBytesOfSlot) * static_cast<double>(of.num_rows);
  }
  const uint64_t num_rows = columns[column].num_rows;
  const auto rows =
      static_cast<uint64_t>(static_cast<double>(kept) / all * static_cast<double>(num_rows));
  constexpr uint64_t kMost = ~uint32_t{0} - 1;
  return std::clamp<uint64_t>(rows, 1, std::min(num_rows + num_rows / kSpareParts + 1, kMost));
}

uint64_t planned_slots(uint64_t slots) { return slots - slots / kSpareParts; }

size_t WindowSizes::next(uint64_t first, uint64_t steps, const SampledSizes& sampled) const {
  const uint64_t left = steps - first;
  if (sampled.batches == 0) {
    return 1;
  }
  const uint64_t uses = sampled.uses / sampled.batches + 1;
  const uint64_t bytes = sampled.bytes / sampled.batches + 1;
  uint64_t most = kMostPlanned;
  if (!limits_.spilled) {
    most = std::min(most, limits_.memory / kBytesOfUse / uses);
  } else {
    // While the packs of one window are read, those of the next are written.
    const uint64_t room = limits_.temporary_bytes / bytes;
    most = std::min(most, left <= room ? left : room / 2);
  }
  if (limits_.most_batches > 0) {
    most = std::min(most, limits_.most_batches);
  }
  most = std::max<uint64_t>(most, 1);
  if (first == 1) {
    // The rest of what can be read while the first batch is awaited.
    double seconds = disk_.seconds(static_cast<double>(uses),
                                   static_cast<double>(bytes) / static_cast<double>(uses));
    if (limits_.in_passes) {
      constexpr double kPage = 4096;
      constexpr uint64_t kBytesOfNode = 64;  // of the arrays of a batch
      const uint64_t nodes = sampled.uses > 0 ? uses : bytes / kBytesOfNode;
      seconds += disk_.seconds(2 * static_cast<double>(nodes), kPage);
    }
    const auto early = static_cast<uint64_t>(kFirstSeconds / std::max(seconds, 1e-6));
    if (early < most) {
      return static_cast<size_t>(std::clamp<uint64_t>(early, 1, left));
    }
  }
  const uint64_t windows = (left + most - 1) / most;
  return static_cast<size_t>((left + windows - 1) / windows);
}

}  // namespace gls
