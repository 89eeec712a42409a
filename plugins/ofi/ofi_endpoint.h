// What is opened of libfabric for one peer.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "plugins/ofi/fabric.h"

namespace gls::net {

// One endpoint with all that belongs to it. That it is closed is the fence: then libfabric reads
// and writes nothing any more of what it was given, and says nothing of it, whatever became of the
// peer. The domain is its own, too: connections that were about to be made to an endpoint are with
// its domain, and still point to the endpoint when that is closed.
class OfiEndpoint {
 public:
  OfiEndpoint() = default;
  ~OfiEndpoint() { close(); }
  OfiEndpoint(const OfiEndpoint&) = delete;
  OfiEndpoint& operator=(const OfiEndpoint&) = delete;

  // Empty, or what went wrong.
  std::string open(const OfiFabric& fabric);
  void close();
  // Lets the other side read this. Empty, or what went wrong.
  std::string share(const OfiFabric& fabric, uint64_t number, OfiBytes memory, OfiKey* key);
  // The provider says that its card does not get at memory of GPUs. Most say nothing.
  bool keeps_off_gpus() const;
  // Makes this memory of a GPU known to libfabric until forget(whose) or close(); `desc` goes with
  // all that writes to it. Empty, or what went wrong.
  std::string know(const OfiFabric& fabric, const void* whose, OfiBytes memory, void** desc);
  // Before the memory goes, and when nothing is under way to it.
  void forget(const void* whose) { places_.erase(whose); }

  fid_ep* ep() const { return ep_.get(); }
  fid_cq* cq() const { return cq_.get(); }
  fid_av* av() const { return av_.get(); }
  int wait_fd() const { return wait_fd_; }  // -1: this provider has nothing to wait for
  const std::vector<std::byte>& name() const { return name_; }

 private:
  std::vector<std::byte> name_;
  int wait_fd_ = -1;           // the queue's
  bool keeps_memory_ = false;  // it is not closed while memory is bound to it
  Fid<fid_domain> domain_;
  Fid<fid_av> av_;
  Fid<fid_cq> cq_;
  Fid<fid_ep> ep_;
  struct Shared {
    Fid<fid_mr> handle;
    OfiKey key;
  };
  std::map<uint64_t, Shared> shared_;  // by number
  std::unordered_map<const void*, Fid<fid_mr>> places_;
};

}  // namespace gls::net
