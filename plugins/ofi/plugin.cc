// libgls_ofi.so: data channels over libfabric. It does not link libgls.so;
// net/connection/data_channel.h is the interface between both.
#include "plugins/channels/plugin.h"

#include <cstring>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "plugins/ofi/fabric.h"
#include "plugins/ofi/worker.h"

namespace gls::net {
namespace {

class OfiTransport final : public ChannelTransport {
 public:
  explicit OfiTransport(const Ofi& ofi) : fabric_(ofi) {}

  // Returns 0, or an error code that `why` describes.
  int32_t begin(const ChannelOptions& options, std::string* why) {
    if (const int32_t code = fabric_.begin(options, why); code != 0) {
      return code;
    }
    for (uint32_t i = 0; i < options.io_threads; ++i) {
      workers_.push_back(std::make_unique<OfiWorker>(fabric_, memory_));
      *why = workers_.back()->start();
      if (!why->empty()) {
        return GLS_ERR_UNSUPPORTED;
      }
    }
    return 0;
  }

  DataChannel* open(ChannelUser* user, StreamError* error) noexcept override try {
    OfiWorker* worker = nullptr;
    {
      const std::lock_guard lock(mutex_);
      worker = workers_[next_++ % workers_.size()].get();
    }
    std::string why;
    DataChannel* const channel = worker->open(user, &why);
    if (channel == nullptr) {
      say(error, GLS_ERR_IO, why);
    }
    return channel;
  } catch (const std::exception& failure) {
    say(error, GLS_ERR_OUT_OF_MEMORY, failure.what());
    return nullptr;
  }

  bool reads() const noexcept override { return fabric_.reads() != ChannelReads::kNone; }
  bool reaches_gpus(StreamError* why) const noexcept override try {
    std::string text;
    const bool reached = fabric_.reaches_gpus(&text);
    if (!reached) {
      say(why, GLS_ERR_UNSUPPORTED, text);
    }
    return reached;
  } catch (const std::exception& failure) {
    say(why, GLS_ERR_OUT_OF_MEMORY, failure.what());
    return false;
  }
  size_t share(const void* data, size_t size, void* key, StreamError* error) noexcept override try {
    if (!reads()) {
      say(error, GLS_ERR_UNSUPPORTED,
          "net.one_sided is off, or auto and libfabric's provider is not one for RDMA");
      return 0;
    }
    const OfiBytes memory(static_cast<const std::byte*>(data), size);
    // Channels register the memory when the other side asks. The caller should learn earlier if
    // that is impossible.
    if (const std::string why = fabric_.try_memory(memory); !why.empty()) {
      say(error, GLS_ERR_UNSUPPORTED, why);
      return 0;
    }
    const uint64_t number = memory_.add(memory);
    std::memcpy(key, &number, sizeof number);
    return sizeof number;
  } catch (const std::exception& failure) {
    say(error, GLS_ERR_OUT_OF_MEMORY, failure.what());
    return 0;
  }

  void destroy() noexcept override { delete this; }

 private:
  OfiFabric fabric_;
  OfiMemory memory_;
  std::mutex mutex_;
  size_t next_ = 0;
  std::vector<std::unique_ptr<OfiWorker>> workers_;  // destroyed first
};

ChannelTransport* create(const ChannelOptions* options, StreamError* error) {
  try {
    std::string why;
    const Ofi* const ofi = load_ofi(&why);
    if (ofi == nullptr) {
      say(error, GLS_ERR_UNSUPPORTED, why);
      return nullptr;
    }
    auto transport = std::make_unique<OfiTransport>(*ofi);
    const int32_t code = transport->begin(*options, &why);
    if (code == 0) {
      return transport.release();
    }
    say(error, code, why);
  } catch (const std::exception& failure) {
    say(error, GLS_ERR_OUT_OF_MEMORY, failure.what());
  }
  return nullptr;
}

}  // namespace
}  // namespace gls::net

GLS_EXPORT_LANES(gls::net::create);
