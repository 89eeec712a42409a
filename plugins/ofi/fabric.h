// Which of libfabric's providers moves the data, on which interface, and what it knows.
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

// The first provider that may be used on the interface, as libfabric ranks them.
class OfiFabric {
 public:
  using FindDriver = std::optional<GpuContext::Driver> (*)();
  explicit OfiFabric(const Ofi& ofi, FindDriver find_driver = GpuContext::driver)
      : ofi_(ofi), find_driver_(find_driver) {}
  OfiFabric(const OfiFabric&) = delete;
  OfiFabric& operator=(const OfiFabric&) = delete;

  // 0, or the code of an error that `why` describes.
  int32_t begin(const LaneOptions& options, std::string* why);

  const Ofi& ofi() const { return ofi_; }
  fi_info* info() const { return info_.get(); }
  fid_fabric* handle() const { return fabric_.get(); }
  const char* provider() const { return info_->fabric_attr->prov_name; }
  // The provider for TCP: all arrives in order, but a connection that breaks is made anew without a
  // word of what was lost with it.
  bool is_tcp() const;
  const char* device() const { return info_->domain_attr->name; }
  // How its lanes read memory of the other side.
  LaneReads reads() const { return reads_; }
  // Empty, or why libfabric would not let others read this.
  std::string try_memory(OfiBytes memory) const;
  // Of whoever asks libfabric for something; NULL: it was not asked for memory of GPUs.
  GpuContext* gpus() const { return gpus_.get(); }
  // Whether it takes memory of one. It may know GPUs and yet not this kind, so that some is tried
  // of one that this process uses. False: `why` says why not.
  bool reaches_gpus(std::string* why) const;

 private:
  // What a provider is to have beside messages.
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
  LaneReads reads_ = LaneReads::kNone;
  Fid<fid_fabric> fabric_;
  std::unique_ptr<GpuContext> gpus_;
  std::string no_gpus_;  // why not
};

}  // namespace gls::net
