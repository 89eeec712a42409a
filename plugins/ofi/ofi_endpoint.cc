#include "plugins/ofi/ofi_endpoint.h"

#include "plugins/ofi/address.h"
#include "plugins/ofi/memory_registration.h"

namespace gls::net {

std::string OfiEndpoint::open(const OfiFabric& fabric) {
  const Ofi& ofi = fabric.ofi();
  const auto failed = [&](const char* what, int status) {
    close();
    return std::string(what) + " of " + fabric.provider() + " on " + fabric.device() + ": " +
           error_text(ofi, status);
  };
  fid_domain* domain = nullptr;
  int status = fi_domain(fabric.handle(), fabric.info(), &domain, nullptr);
  if (status != 0) {
    return failed("no domain", status);
  }
  domain_.reset(domain);
  fi_cq_attr of_cq{};
  of_cq.format = FI_CQ_FORMAT_MSG;
  of_cq.wait_obj = FI_WAIT_FD;
  fid_cq* cq = nullptr;
  status = fi_cq_open(domain, &of_cq, &cq, nullptr);
  if (status == 0) {
    cq_.reset(cq);
    if (fi_control(&cq->fid, FI_GETWAIT, &wait_fd_) != 0) {
      wait_fd_ = -1;
    }
  } else {
    of_cq.wait_obj = FI_WAIT_NONE;
    status = fi_cq_open(domain, &of_cq, &cq, nullptr);
    if (status != 0) {
      return failed("no queue", status);
    }
    cq_.reset(cq);
  }
  fi_av_attr of_av{};
  of_av.count = 1;
  fid_av* av = nullptr;
  status = fi_av_open(domain, &of_av, &av, nullptr);
  if (status != 0) {
    return failed("no table of addresses", status);
  }
  av_.reset(av);
  fid_ep* ep = nullptr;
  status = fi_endpoint(domain, fabric.info(), &ep, nullptr);
  if (status != 0) {
    return failed("no endpoint", status);
  }
  ep_.reset(ep);
  keeps_memory_ = (fabric.info()->domain_attr->mr_mode & FI_MR_ENDPOINT) != 0;
  status = fi_ep_bind(ep, &av->fid, 0);
  status = status == 0 ? fi_ep_bind(ep, &cq->fid, FI_TRANSMIT | FI_RECV) : status;
  status = status == 0 ? fi_enable(ep) : status;
  size_t size = 0;
  if (status == 0) {
    static_cast<void>(fi_getname(&ep->fid, nullptr, &size));  // returns the length of the name
    name_.resize(size);
    status = size == 0 || size > kMostEndpointName ? -FI_ETOOSMALL
                                                   : fi_getname(&ep->fid, name_.data(), &size);
  }
  return status == 0 ? std::string() : failed("no working endpoint", status);
}

std::string OfiEndpoint::share(const OfiFabric& fabric, uint64_t number, OfiBytes memory,
                               OfiKey* key) {
  const auto [found, is_new] = shared_.try_emplace(number);
  Shared& shared = found->second;
  if (is_new) {
    if (std::string why = register_memory(fabric, domain_.get(), ep_.get(),
                                          {memory, FI_REMOTE_READ}, &shared.handle);
        !why.empty()) {
      shared_.erase(found);
      return why;
    }
    shared.key.key = fi_mr_key(shared.handle.get());
    const bool whole = (fabric.info()->domain_attr->mr_mode & FI_MR_VIRT_ADDR) != 0;
    shared.key.base = whole ? 0 : reinterpret_cast<uint64_t>(memory.data());
  }
  *key = shared.key;
  return {};
}

bool OfiEndpoint::keeps_off_gpus() const {
  int setting = FI_HMEM_P2P_ENABLED;
  size_t size = sizeof setting;
  return fi_getopt(&ep_->fid, FI_OPT_ENDPOINT, FI_OPT_FI_HMEM_P2P, &setting, &size) == 0 &&
         setting == FI_HMEM_P2P_DISABLED;
}

std::string OfiEndpoint::know(const OfiFabric& fabric, const void* whose, OfiBytes memory,
                              void** desc) {
  *desc = nullptr;
  if ((fabric.info()->domain_attr->mr_mode & FI_MR_HMEM) == 0) {
    return {};  // the provider finds it out by itself, and must not receive it
  }
  const GpuTurn turn_of_gpu(fabric.gpus());
  OfiUse use;
  Fid<fid_mr> place;
  std::string why = use_to_land(fabric, memory, &use)
                        ? register_memory(fabric, domain_.get(), ep_.get(), use, &place)
                        : kNotOfGpus;
  if (!why.empty()) {
    return why;
  }
  *desc = fi_mr_desc(place.get());
  places_[whose] = std::move(place);
  return {};
}

// Operations in flight end with the endpoint. Their memory stays registered until then, unless that
// would keep the endpoint open.
void OfiEndpoint::close() {
  shared_.clear();
  if (keeps_memory_) {
    places_.clear();
  }
  ep_.reset();
  places_.clear();
  cq_.reset();
  av_.reset();
  domain_.reset();
}

}  // namespace gls::net
