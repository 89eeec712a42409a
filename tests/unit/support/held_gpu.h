// A GPU, one of whose streams does not come to its end until it is let go: the emulated runtime
// does at once what is queued, and so never has anything under way.
#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <set>

#include "device/device.h"

namespace gls::test {

class HeldGpu final : public device::Gpu {
 public:
  using Stream = device::Stream;
  using GpuError = device::GpuError;

  explicit HeldGpu(std::shared_ptr<Device> device)
      : device_(std::move(device)), gpu_(device_->gpu()) {
    GpuError error;
    gpu_.open_stream(&held_, &error);
  }
  ~HeldGpu() { gpu_.close_stream(held_); }

  Stream held() const { return held_; }
  void let_go() {
    {
      const std::lock_guard lock(mutex_);
      done_ = true;
    }
    changed_.notify_all();
  }
  bool unpinned_too_early() const { return unpinned_too_early_; }

  bool follow(Stream stream, Stream other, GpuError* error) noexcept override {
    if (other == held_) {
      const std::lock_guard lock(mutex_);
      behind_.insert(stream);
    }
    return gpu_.follow(stream, other, error);
  }
  bool finish(Stream stream, GpuError* error) noexcept override {
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return done_ || !behind_.contains(stream); });
    }
    return gpu_.finish(stream, error);
  }
  void unpin(const void* memory) noexcept override {
    {
      const std::lock_guard lock(mutex_);
      unpinned_too_early_ = !done_ && !behind_.empty();
    }
    gpu_.unpin(memory);
  }

  // ---- as it is ----
  void destroy() noexcept override {}
  void info(device::GpuInfo* out) noexcept override { gpu_.info(out); }
  bool in_use() noexcept override { return gpu_.in_use(); }
  bool free_memory(uint64_t* bytes, GpuError* error) noexcept override {
    return gpu_.free_memory(bytes, error);
  }
  bool allocate(uint64_t bytes, Stream stream, void** out, GpuError* error) noexcept override {
    return gpu_.allocate(bytes, stream, out, error);
  }
  void release(void* memory, Stream stream) noexcept override { gpu_.release(memory, stream); }
  void release_after(void* memory, const Stream* streams, size_t count) noexcept override {
    gpu_.release_after(memory, streams, count);
  }
  bool keep_free(uint64_t bytes, GpuError* error) noexcept override {
    return gpu_.keep_free(bytes, error);
  }
  bool allocate_pinned(uint64_t bytes, void** out, GpuError* error) noexcept override {
    return gpu_.allocate_pinned(bytes, out, error);
  }
  void release_pinned(void* memory) noexcept override { gpu_.release_pinned(memory); }
  bool pin(const void* memory, uint64_t bytes, const void** seen,
           GpuError* error) noexcept override {
    return gpu_.pin(memory, bytes, seen, error);
  }
  bool allocate_shared(uint64_t bytes, void** out, GpuError* error) noexcept override {
    return gpu_.allocate_shared(bytes, out, error);
  }
  void release_shared(void* memory) noexcept override { gpu_.release_shared(memory); }
  bool reach(int32_t other, GpuError* error) noexcept override { return gpu_.reach(other, error); }
  bool export_shared(const void* memory, device::MemoryHandle* out,
                     GpuError* error) noexcept override {
    return gpu_.export_shared(memory, out, error);
  }
  bool import_shared(const device::MemoryHandle& handle, const void** out,
                     GpuError* error) noexcept override {
    return gpu_.import_shared(handle, out, error);
  }
  void close_imported(const void* memory) noexcept override { gpu_.close_imported(memory); }
  bool open_stream(Stream* out, GpuError* error) noexcept override {
    return gpu_.open_stream(out, error);
  }
  void close_stream(Stream stream) noexcept override { gpu_.close_stream(stream); }
  bool copy_in(void* to, const void* from, uint64_t bytes, Stream stream,
               GpuError* error) noexcept override {
    return gpu_.copy_in(to, from, bytes, stream, error);
  }
  bool copy_out(void* to, const void* from, uint64_t bytes, Stream stream,
                GpuError* error) noexcept override {
    return gpu_.copy_out(to, from, bytes, stream, error);
  }
  bool gather(const device::GatherWork& work, Stream stream, GpuError* error) noexcept override {
    return gpu_.gather(work, stream, error);
  }
  bool set_slots(int32_t* slots, const device::SlotChange* changes, int64_t count, Stream stream,
                 GpuError* error) noexcept override {
    return gpu_.set_slots(slots, changes, count, stream, error);
  }
  bool pad(const device::PadWork* works, size_t count, Stream stream,
           GpuError* error) noexcept override {
    return gpu_.pad(works, count, stream, error);
  }
  device::GpuSampler* open_sampler(const device::SamplerPlan& plan,
                                   GpuError* error) noexcept override {
    return gpu_.open_sampler(plan, error);
  }
  device::GpuFile* open_file(int fd, GpuError* error) noexcept override {
    return gpu_.open_file(fd, error);
  }
  device::GpuFileReader* open_file_reader(uint64_t bytes, GpuError* error) noexcept override {
    return gpu_.open_file_reader(bytes, error);
  }

 private:
  const std::shared_ptr<Device> device_;
  device::Gpu& gpu_;
  Stream held_ = nullptr;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::set<Stream> behind_;  // the one that is held
  bool done_ = false;
  bool unpinned_too_early_ = false;
};

}  // namespace gls::test
