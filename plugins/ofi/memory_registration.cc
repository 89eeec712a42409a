#include "plugins/ofi/memory_registration.h"

#include <sys/uio.h>

#include "plugins/channels/token.h"

namespace gls::net {

bool use_to_land(const OfiFabric& fabric, OfiBytes memory, OfiUse* use) {
  const int gpu = fabric.gpus() != nullptr ? fabric.gpus()->device_of(memory.data()) : -1;
  *use = {memory, FI_RECV | FI_READ, gpu};
  return gpu >= 0;
}

// This code chooses the keys, unless the provider does. A peer that counts could guess them. Keys
// must also be unique for memory that only this side uses.
std::string register_memory(const OfiFabric& fabric, fid_domain* domain, fid_ep* ep,
                            const OfiUse& use, Fid<fid_mr>* out) {
  const int mode = fabric.info()->domain_attr->mr_mode;
  ChannelToken random{};
  if ((mode & FI_MR_PROV_KEY) == 0) {
    if (!make_random(&random)) {
      return "the system gives no random bytes";
    }
    const size_t size = fabric.info()->domain_attr->mr_key_size;
    if (size < sizeof random[0]) {
      random[0] &= (uint64_t{1} << (8 * size)) - 1;
    }
  }
  const iovec bytes{const_cast<std::byte*>(use.memory.data()), use.memory.size()};
  fi_mr_attr attributes{};
  attributes.mr_iov = &bytes;
  attributes.iov_count = 1;
  attributes.access = use.access;
  attributes.requested_key = random[0];
  if (use.gpu >= 0) {
    attributes.iface = FI_HMEM_CUDA;
    attributes.device.cuda = use.gpu;
  }
  const std::string what = use.gpu >= 0 ? "memory of a GPU: " : "";
  fid_mr* made = nullptr;
  int status = fi_mr_regattr(domain, &attributes, 0, &made);
  if (status != 0) {
    return what + "libfabric does not register it: " + error_text(fabric.ofi(), status);
  }
  out->reset(made);
  if (ep != nullptr && (mode & FI_MR_ENDPOINT) != 0) {
    status = fi_mr_bind(made, &ep->fid, 0);
    status = status == 0 ? fi_mr_enable(made) : status;
    if (status != 0) {
      return what +
             "libfabric does not register it for an endpoint: " + error_text(fabric.ofi(), status);
    }
  }
  return {};
}

std::string try_to_register(const OfiFabric& fabric, const OfiUse& use) {
  fid_domain* opened = nullptr;
  if (const int status = fi_domain(fabric.handle(), fabric.info(), &opened, nullptr); status != 0) {
    return "libfabric opens no domain for it: " + error_text(fabric.ofi(), status);
  }
  const Fid<fid_domain> domain(opened);
  Fid<fid_mr> memory;  // destroyed first
  return register_memory(fabric, opened, nullptr, use, &memory);
}

}  // namespace gls::net
