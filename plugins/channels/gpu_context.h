// The driver of CUDA, for lanes over libraries that know memory of GPUs. These ask it about events
// and memory whenever lanes go on, and the driver crashes or refuses where the thread has no
// context; our threads have none.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace gls::net {

class GpuContext {
 public:
  // Functions of libcuda.so.1, which 0 is success of.
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
  // Not set: there is none. It is not started; who knows memory of GPUs does that.
  static std::optional<Driver> driver();

  explicit GpuContext(const Driver& driver) : driver_(driver) {}

  // Any thread. Makes the context of a GPU current that this process uses, and makes none where it
  // uses no GPU. False: there is none, or the thread has one.
  bool enter() noexcept;
  // After it: as the thread was.
  void leave() noexcept;
  bool is_current() const noexcept;

  // With a context: which GPU has this memory; -1: none.
  int device_of(const void* memory) const noexcept;

 private:
  friend class GpuMemory;
  void* find() noexcept;

  const Driver driver_;
  // Of one GPU, whichever: for asking about events that is enough. It stays until the process ends.
  std::atomic<void*> context_ = nullptr;
};

// While it is there, the thread has a context, if there is one. NULL: nobody asks a driver.
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

  // The process may have begun to use a GPU since.
  void look() { entered_ = entered_ || (context_ != nullptr && context_->enter()); }

 private:
  GpuContext* const context_;
  bool entered_ = false;
};

// Some memory of the GPU whose context is current, to try things with. Captures of others are not
// disturbed.
class GpuMemory {
 public:
  GpuMemory(const GpuContext& context, size_t bytes);
  ~GpuMemory();
  GpuMemory(const GpuMemory&) = delete;
  GpuMemory& operator=(const GpuMemory&) = delete;

  int status() const { return status_; }  // of the driver
  const void* data() const;

 private:
  const GpuContext& context_;
  uint64_t memory_ = 0;
  int status_ = 0;
};

}  // namespace gls::net
