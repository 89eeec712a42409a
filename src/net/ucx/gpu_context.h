// A context of CUDA for the threads that drive UCX. Where UCX knows memory of GPUs, it asks the
// driver about events whenever a worker goes on or is armed, and the driver crashes or refuses
// where the thread has no context; our threads have none.
#pragma once

#include <atomic>
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
  };
  // Not set: there is none. It is not started; UCX does that.
  static std::optional<Driver> driver();

  explicit GpuContext(const Driver& driver) : driver_(driver) {}

  // Any thread. Makes the context of a GPU current that this process uses, and makes none where it
  // uses no GPU. False: there is none, or the thread has one.
  bool enter() noexcept;
  // After it: as the thread was.
  void leave() noexcept;

 private:
  void* find() noexcept;

  const Driver driver_;
  // Of one GPU, whichever: for asking about events that is enough. It stays until the process ends.
  std::atomic<void*> context_ = nullptr;
};

}  // namespace gls::net
