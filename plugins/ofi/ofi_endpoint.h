// The libfabric objects for one peer.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "plugins/ofi/fabric.h"

namespace gls::net {

// One endpoint with its own domain. Closing it is a fence: afterwards libfabric neither accesses
// memory of its operations nor reports them, whatever state the peer is in. The domain must be
// separate because its pending connections still point to the endpoint when that is closed.
class OfiEndpoint {
 public:
  OfiEndpoint() = default;
  ~OfiEndpoint() { close(); }
  OfiEndpoint(const OfiEndpoint&) = delete;
  OfiEndpoint& operator=(const OfiEndpoint&) = delete;

  // Returns an error text, or empty.
  std::string open(const OfiFabric& fabric);
  void close();
  // Lets the other side read this memory. Returns an error text, or empty.
  std::string share(const OfiFabric& fabric, uint64_t number, OfiBytes memory, OfiKey* key);
  // The provider reports that its card cannot access GPU memory. Most providers report nothing.
  bool keeps_off_gpus() const;
  // Registers GPU memory with libfabric until forget(whose) or close(). `desc` must accompany every
  // write to it. Returns an error text, or empty.
  std::string know(const OfiFabric& fabric, const void* whose, OfiBytes memory, void** desc);
  // Call it before the memory is freed, with no operation on it in flight.
  void forget(const void* whose) { places_.erase(whose); }

  fid_ep* ep() const { return ep_.get(); }
  fid_cq* cq() const { return cq_.get(); }
  fid_av* av() const { return av_.get(); }
  int wait_fd() const { return wait_fd_; }  // -1: this provider has no descriptor to wait for
  const std::vector<std::byte>& name() const { return name_; }

 private:
  std::vector<std::byte> name_;
  int wait_fd_ = -1;           // of the queue
  bool keeps_memory_ = false;  // it cannot be closed while memory is bound to it
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
