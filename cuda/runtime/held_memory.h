// Holds returned memory while streams may still use it, mostly those of consumers. It is freed when
// the work that they had queued is done. No stream waits for them meanwhile.
#pragma once

#include <cuda_runtime.h>

#include <atomic>
#include <cstdint>
#include <list>
#include <mutex>
#include <vector>

#include "cuda/runtime/events.h"
#include "device/gpu.h"

namespace gls::cuda {

// For one device, which is current in all calls; any number of threads.
class HeldMemory {
 public:
  // Nothing but frees may be queued on `stream`.
  void begin(cudaStream_t stream) { stream_ = stream; }
  // Freed at once if the streams have no work.
  void add(void* memory, const device::Stream* streams, size_t count) noexcept;
  // Frees memory that is not used any more.
  void sweep() noexcept;
  // As sweep(), but at most once per millisecond, because queries cost time.
  void sweep_at_times() noexcept;
  // Waits for all memory that can be waited for, and frees it.
  void wait() noexcept;
  // Frees all of it in stream order: this stream waits from now on.
  void leave() noexcept;

 private:
  // The work that a stream had queued.
  struct Use {
    cudaStream_t stream = nullptr;
    Marked marked = Marked::kNo;  // kNo: forever, because it is not a stream, or not any more
    Events::Loan event;
  };
  struct Block {
    void* memory;
    std::vector<Use> uses;
  };
  bool done(Block* block) noexcept;
  std::list<Block> take() noexcept;
  void put_back(std::list<Block>* blocks) noexcept;
  void free(void* memory) noexcept;

  cudaStream_t stream_ = nullptr;
  std::atomic<int64_t> swept_{0};
  std::mutex mutex_;
  std::list<Block> blocks_;
};

}  // namespace gls::cuda
