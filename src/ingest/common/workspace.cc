#include "ingest/common/workspace.h"

#include <algorithm>

#include "system/cpu.h"

namespace gls {
namespace {

constexpr uint64_t kLeastMemory = uint64_t{16} << 20;
// Write buffers, stacks and small tables, which are not counted one by one.
constexpr uint64_t kFixed = uint64_t{6} << 20;

std::string size_text(uint64_t bytes) {
  const bool small = bytes < (uint64_t{1} << 20);
  return formatted("{:.1f} {}", static_cast<double>(bytes) / (small ? 1024 : 1048576),
                   small ? "KiB" : "MiB");
}

}  // namespace

bool MemoryBudget::try_take(uint64_t bytes) {
  uint64_t used = used_.load(std::memory_order_relaxed);
  do {
    if (bytes > bound_ - used) {
      return false;
    }
  } while (!used_.compare_exchange_weak(used, used + bytes, std::memory_order_relaxed));
  return true;
}

Status MemoryBudget::exceeded(uint64_t bytes, std::string_view what) const {
  return error(GLS_ERR_OUT_OF_MEMORY,
               "{} needs {} more, but only {} are left of the memory bound of {}; raise the bound",
               what, size_text(bytes), size_text(available()), size_text(bound_))
      .with("argument", "memory");
}

Status MemoryBudget::take(uint64_t bytes, std::string_view what) {
  return try_take(bytes) ? Status() : exceeded(bytes, what);
}

Result<Workspace> Workspace::create(Context& context, uint64_t memory, std::string scratch,
                                    Progress progress) {
  if (memory == 0) {
    memory = std::max(usable_memory() / 4, kLeastMemory);
  }
  if (memory < kLeastMemory) {
    return error(GLS_ERR_OUT_OF_MEMORY, "memory is {}, making a dataset needs at least {}",
                 size_text(memory), size_text(kLeastMemory))
        .with("argument", "memory");
  }
  Workspace workspace(context, memory, std::move(scratch), std::move(progress));
  GLS_TRY(workspace.budget()->take(kFixed, "making a dataset"));
  return workspace;
}

std::string Workspace::scratch_path(std::string_view name) {
  return formatted("{}{}-{}", scratch_, name, ++serial_);
}

size_t Workspace::window(uint64_t bytes) const {
  const size_t wanted = size_t{pool().size()} + 2;
  return std::clamp<size_t>(budget_->available() / 4 / std::max<uint64_t>(bytes, 1), 2, wanted);
}

}  // namespace gls
