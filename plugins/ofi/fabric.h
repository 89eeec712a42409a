// Chooses a libfabric provider and a network interface for data channels, and reports the
// provider's abilities.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "net/connection/data_channel.h"
#include "plugins/channels/gpu_context.h"
#include "plugins/ofi/memory.h"
#include "plugins/ofi/ofi.h"

namespace gls::net {

// The first provider that supports the interface, in libfabric's order.
class OfiFabric {
 public:
  using FindDriver = std::optional<GpuContext::Driver> (*)();
  explicit OfiFabric(const Ofi& ofi, FindDriver find_driver = GpuContext::driver)
      : ofi_(ofi), find_driver_(find_driver) {}
  OfiFabric(const OfiFabric&) = delete;
  OfiFabric& operator=(const OfiFabric&) = delete;

  // Returns 0, or an error code that `why` describes.
  int32_t begin(const ChannelOptions& options, std::string* why);

  const Ofi& ofi() const { return ofi_; }
  fi_info* info() const { return info_.get(); }
  fid_fabric* handle() const { return fabric_.get(); }
  const char* provider() const { return info_->fabric_attr->prov_name; }
  // The provider for TCP. Data arrive in order, but it renews a broken connection without reporting
  // the data lost with it.
  bool is_tcp() const;
  const char* device() const { return info_->domain_attr->name; }
  // How its channels read memory of the other side.
  ChannelReads reads() const { return reads_; }
  // Empty, or why libfabric would not let peers read this memory.
  std::string try_memory(OfiBytes memory) const;
  // For each thread that calls libfabric; NULL: GPU memory is not requested.
  GpuContext* gpus() const { return gpus_.get(); }
  // Whether the provider accepts GPU memory. A provider may support GPUs but not this kind, so
  // memory of a GPU that this process uses is tried. False: `why` states the reason.
  bool reaches_gpus(std::string* why) const;

 private:
  // What a provider must support in addition to messages.
  struct Wanted {
    bool reads = false;
    bool gpus = false;
  };
  OfiInfo find(const Wanted& wanted) const;
  std::string choose(const OfiInfo& all, const std::string& device,
                     const std::vector<std::string>& allowed, const Wanted& wanted);
  bool also(const std::string& device, const Wanted& wanted);
  std::string open();
  std::string open_with_gpus(const std::string& device, bool reads);

  const Ofi& ofi_;
  const FindDriver find_driver_;
  OfiInfo info_{nullptr, nullptr};
  ChannelReads reads_ = ChannelReads::kNone;
  Fid<fid_fabric> fabric_;
  std::unique_ptr<GpuContext> gpus_;
  std::string no_gpus_;  // why GPUs are not supported
};

}  // namespace gls::net
