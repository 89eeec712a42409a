// Reuses CUDA events, because each new one costs microseconds.
#pragma once

#include <cuda_runtime.h>

#include <mutex>
#include <utility>
#include <vector>

#include "cuda/runtime/failure.h"

namespace gls::cuda {

// For one device, which is current in all calls; any number of threads.
class Events {
 public:
  // The events of a device, for the whole process. They stay until it ends.
  static Events& of(int32_t device);

  // A borrowed event. It may be returned while streams wait for it: they continue to wait for the
  // recorded work.
  class Loan {
   public:
    Loan() = default;
    explicit Loan(Events& events) : events_(&events), result_(events.take(&event_)) {}
    ~Loan() {
      if (event_ != nullptr) {
        events_->give_back(event_);
      }
    }
    Loan(Loan&& other) noexcept { *this = std::move(other); }
    Loan& operator=(Loan&& other) noexcept {
      std::swap(events_, other.events_);
      std::swap(event_, other.event_);
      std::swap(result_, other.result_);
      return *this;
    }
    cudaError_t result() const { return result_; }
    cudaEvent_t get() const { return event_; }

   private:
    Events* events_ = nullptr;
    cudaEvent_t event_ = nullptr;
    cudaError_t result_ = cudaSuccess;
  };

 private:
  cudaError_t take(cudaEvent_t* out);
  void give_back(cudaEvent_t event) noexcept;

  std::mutex mutex_;
  std::vector<cudaEvent_t> idle_;
};

// Marks the work that is queued on a stream now, on any device.
enum class Marked {
  kYes,        // `event` occurs when it is done
  kCapturing,  // the stream is being captured into a CUDA graph, and cannot be used otherwise
  kNo,         // `error` gives the reason
};
Marked mark(cudaStream_t stream, Events::Loan* event, device::GpuError* error) noexcept;

}  // namespace gls::cuda
