// Memory that was given back while streams may still work with it, those of consumers above all:
// it is held until they have done what they had queued by then. No stream waits for them meanwhile.
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

// Of one device, which is current in all calls; any number of threads.
class HeldMemory {
 public:
  // On `stream` nothing is queued but freeing.
  void begin(cudaStream_t stream) { stream_ = stream; }
  // Freed at once where the streams have nothing to do.
  void add(void* memory, const device::Stream* streams, size_t count) noexcept;
  // Frees what nobody uses any more.
  void sweep() noexcept;
  // As sweep(), but at most once in a millisecond, since asking has its price, too.
  void sweep_at_times() noexcept;
  // Waits for what can be waited for, and frees it.
  void wait() noexcept;
  // All of it is freed in the order of streams: this one waits from now on.
  void leave() noexcept;

 private:
  // What a stream had queued.
  struct Use {
    cudaStream_t stream = nullptr;
    Marked marked = Marked::kNo;  // that is for ever: it is no stream, or none any more
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
