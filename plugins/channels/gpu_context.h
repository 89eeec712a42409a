// Gives threads a CUDA context, for data channels over libraries that handle GPU memory. These
// libraries query events and memory whenever channels progress. Without a context, the CUDA driver
// then crashes or refuses, and our threads have none.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace gls::net {

// A CUDA context that threads can enter, and the functions of the driver for it.
class GpuContext {
 public:
  // Functions of libcuda.so.1 that return 0 for success.
  struct Driver {
    int (*get_current)(void** context) = nullptr;
    int (*push)(void* context) = nullptr;
    int (*pop)(void** context) = nullptr;
    int (*count)(int* devices) = nullptr;
    int (*state)(int device, unsigned* flags, int* active) = nullptr;
    int (*retain)(void** context, int device) = nullptr;
    int (*allocate)(uint64_t* memory, size_t bytes) = nullptr;
    int (*release)(uint64_t memory) = nullptr;
    int (*attribute)(void* value, int which, uint64_t memory) = nullptr;
    int (*exchange_capture_mode)(int* mode) = nullptr;
  };
  // Empty: no CUDA driver is loaded. This does not start CUDA; the library that handles GPU memory
  // does.
  static std::optional<Driver> driver();

  explicit GpuContext(const Driver& driver) : driver_(driver) {}

  // Any thread. Makes the context of a GPU current that this process already uses; creates none.
  // False: no context exists, or the thread already has one.
  bool enter() noexcept;
  // Call it after enter() returned true. Restores the state of the thread.
  void leave() noexcept;
  bool is_current() const noexcept;

  // Requires a context. Returns the GPU that owns this memory; -1: none.
  int device_of(const void* memory) const noexcept;

 private:
  friend class GpuMemory;
  void* find() noexcept;

  const Driver driver_;
  // The context of any one GPU, which suffices to query events. It stays until the process ends.
  std::atomic<void*> context_ = nullptr;
};

// While this object exists, the thread has a context, if one exists. NULL: no channel asks a CUDA
// driver.
class GpuTurn {
 public:
  explicit GpuTurn(GpuContext* context) : context_(context) { look(); }
  ~GpuTurn() {
    if (entered_) {
      context_->leave();
    }
  }
  GpuTurn(const GpuTurn&) = delete;
  GpuTurn& operator=(const GpuTurn&) = delete;

  // Checks again, because the process may have started to use a GPU.
  void look() { entered_ = entered_ || (context_ != nullptr && context_->enter()); }

 private:
  GpuContext* const context_;
  bool entered_ = false;
};

// A small allocation on the current GPU, for trials. It does not disturb stream captures of other
// threads.
class GpuMemory {
 public:
  GpuMemory(const GpuContext& context, size_t bytes);
  ~GpuMemory();
  GpuMemory(const GpuMemory&) = delete;
  GpuMemory& operator=(const GpuMemory&) = delete;

  int status() const { return status_; }  // status code of the driver
  const void* data() const;

 private:
  const GpuContext& context_;
  uint64_t memory_ = 0;
  int status_ = 0;
};

}  // namespace gls::net
