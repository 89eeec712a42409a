// Which of libfabric's providers moves the data, on which interface; and what is opened of it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "net/lane.h"
#include "net/ofi/memory.h"
#include "net/ofi/ofi.h"

namespace gls::net {

// The first provider that may be used on the interface, as libfabric ranks them.
class OfiFabric {
 public:
  explicit OfiFabric(const Ofi& ofi) : ofi_(ofi) {}
  ~OfiFabric();
  OfiFabric(const OfiFabric&) = delete;
  OfiFabric& operator=(const OfiFabric&) = delete;

  // 0, or the code of an error that `why` describes.
  int32_t begin(const LaneOptions& options, std::string* why);

  const Ofi& ofi() const { return ofi_; }
  fi_info* info() const { return info_; }
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

 private:
  fi_info* find(bool reads) const;
  std::string choose(fi_info* all, const std::string& device,
                     const std::vector<std::string>& allowed, bool reads);

  const Ofi& ofi_;
  fi_info* info_ = nullptr;
  LaneReads reads_ = LaneReads::kNone;
  Fid<fid_fabric> fabric_;
};

// One endpoint with all that belongs to it, for one peer. That it is closed is the fence: then
// libfabric reads and writes nothing any more of what it was given, and says nothing of it,
// whatever became of the peer. The domain is its own, too: connections that were about to be made
// to an endpoint are with its domain, and still point to the endpoint when that is closed.
class OfiEndpoint {
 public:
  // Empty, or what went wrong.
  std::string open(const OfiFabric& fabric);
  void close();
  // Lets the other side read this. Empty, or what went wrong.
  std::string share(const OfiFabric& fabric, uint64_t number, OfiBytes memory, OfiKey* key);

  fid_ep* ep() const { return ep_.get(); }
  fid_cq* cq() const { return cq_.get(); }
  fid_av* av() const { return av_.get(); }
  int wait_fd() const { return wait_fd_; }  // -1: this provider has nothing to wait for
  const std::vector<std::byte>& name() const { return name_; }

 private:
  std::vector<std::byte> name_;
  int wait_fd_ = -1;  // the queue's
  Fid<fid_domain> domain_;
  Fid<fid_av> av_;
  Fid<fid_cq> cq_;
  Fid<fid_ep> ep_;
  struct Shared {
    Fid<fid_mr> handle;
    OfiKey key;
  };
  std::map<uint64_t, Shared> shared_;  // by number; goes first
};

}  // namespace gls::net
