#include "feed/stream_ordered_release.h"

#include <new>
#include <utility>

namespace gls {

StreamOrderedRelease::StreamOrderedRelease(std::shared_ptr<Device> device,
                                           std::function<void(uint64_t)> give_back)
    : device_(std::move(device)), give_back_(std::move(give_back)), thread_([this] { run(); }) {}

StreamOrderedRelease::~StreamOrderedRelease() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void StreamOrderedRelease::add(uint64_t offset, const StreamReaders& readers) noexcept {
  bool done = true;
  readers.each([&done](device::Stream) { done = false; });
  if (!done) {
    if (follow(offset, readers)) {
      return;
    }
    done = true;  // there is no memory to wait on the thread
    readers.each([&](device::Stream reader) {
      device::GpuError ignored;
      done = device_->gpu().finish(reader, &ignored) && done;
    });
  }
  // If its readers are unknown, the block is never written again.
  if (done) {
    give_back_(offset);
  }
}

bool StreamOrderedRelease::follow(uint64_t offset, const StreamReaders& readers) noexcept try {
  Result<DeviceStream> stream = device_->stream();
  bool good = stream.ok();
  readers.each([&](device::Stream reader) {
    device::GpuError ignored;
    good = good && stream->gpu().follow(stream->get(), reader, &ignored);
  });
  if (good) {
    const std::lock_guard lock(mutex_);
    late_.push_back({offset, stream.take()});
  }
  changed_.notify_all();
  return good;
} catch (const std::bad_alloc&) {
  return false;
}

void StreamOrderedRelease::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return stopping_ || !late_.empty(); });
    if (late_.empty()) {
      return;
    }
    const uint64_t offset = late_.front().offset;
    {
      const DeviceStream stream = std::move(late_.front().stream);
      late_.pop_front();
      lock.unlock();
    }  // the destructor waits for the work queued on it
    give_back_(offset);
    lock.lock();
  }
}

}  // namespace gls
