#include "cuda/runtime/held_memory.h"

#include <chrono>
#include <new>

#include "cuda/runtime/failure.h"

namespace gls::cuda {

using device::GpuError;

void HeldMemory::free(void* memory) noexcept {
  GpuError ignored;
  good(cudaFreeAsync(memory, stream_), "giving back memory", &ignored);
}

void HeldMemory::add(void* memory, const device::Stream* streams, size_t count) noexcept {
  try {
    std::list<Block> one;
    one.push_back({memory, std::vector<Use>(count)});
    Block& block = one.front();
    GpuError ignored;
    for (size_t i = 0; i < count; ++i) {
      Use& use = block.uses[i];
      use.stream = static_cast<cudaStream_t>(streams[i]);
      use.marked = mark(use.stream, &use.event, &ignored);
    }
    if (done(&block)) {
      free(memory);
    } else {
      put_back(&one);
    }
  } catch (const std::bad_alloc&) {
    // The end cannot be detected, so the memory is lost.
  }
  sweep_at_times();
}

// An error of the queued work also ends it.
bool HeldMemory::done(Block* block) noexcept {
  GpuError ignored;
  std::vector<Use>& uses = block->uses;
  while (!uses.empty()) {
    Use& last = uses.back();
    if (last.marked == Marked::kCapturing) {
      last.marked = mark(last.stream, &last.event, &ignored);
    }
    if (last.marked != Marked::kYes || cudaEventQuery(last.event.get()) == cudaErrorNotReady) {
      static_cast<void>(cudaGetLastError());
      return false;
    }
    uses.pop_back();
  }
  return true;
}

std::list<HeldMemory::Block> HeldMemory::take() noexcept {
  std::list<Block> out;
  const std::lock_guard lock(mutex_);
  out.swap(blocks_);
  return out;
}

void HeldMemory::put_back(std::list<Block>* blocks) noexcept {
  const std::lock_guard lock(mutex_);
  blocks_.splice(blocks_.begin(), *blocks);
}

void HeldMemory::sweep() noexcept {
  std::list<Block> blocks = take();
  for (auto block = blocks.begin(); block != blocks.end();) {
    if (done(&*block)) {
      free(block->memory);
      block = blocks.erase(block);
    } else {
      ++block;
    }
  }
  put_back(&blocks);
}

void HeldMemory::sweep_at_times() noexcept {
  using std::chrono::duration_cast;
  const int64_t now =
      duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now().time_since_epoch())
          .count();
  if (swept_.exchange(now, std::memory_order_relaxed) != now) {
    sweep();
  }
}

void HeldMemory::wait() noexcept {
  std::list<Block> blocks = take();
  for (Block& block : blocks) {
    for (Use& use : block.uses) {
      if (use.marked == Marked::kYes) {
        cudaEventSynchronize(use.event.get());
      }
    }
  }
  put_back(&blocks);
  static_cast<void>(cudaGetLastError());
  sweep();
}

void HeldMemory::leave() noexcept {
  sweep();
  std::list<Block> blocks = take();
  for (Block& block : blocks) {
    bool all = true;
    for (Use& use : block.uses) {
      all = all && use.marked == Marked::kYes &&
            cudaStreamWaitEvent(stream_, use.event.get(), 0) == cudaSuccess;
    }
    if (all) {
      free(block.memory);
    }
  }
}

}  // namespace gls::cuda
