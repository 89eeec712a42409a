// Memory that libfabric is to know before it is used: what others read, and what it writes to that
// is a GPU's.
#pragma once

#include <cstdint>
#include <string>

#include "plugins/ofi/fabric.h"

namespace gls::net {

struct OfiUse {
  OfiBytes memory;
  uint64_t access = 0;
  int gpu = -1;  // which has it; else it is the host's
};
// Of memory that something is to land in. False: no GPU has it.
bool use_to_land(const OfiFabric& fabric, OfiBytes memory, OfiUse* use);
inline constexpr char kNotOfGpus[] = "memory of a GPU: its driver knows nothing of it";

// Empty, or what went wrong. Providers that bind memory to endpoints (FI_MR_ENDPOINT) close none
// that has some; `ep` is NULL where nothing is moved.
std::string register_memory(const OfiFabric& fabric, fid_domain* domain, fid_ep* ep,
                            const OfiUse& use, Fid<fid_mr>* out);
// Whether libfabric takes it, in a domain of its own.
std::string try_to_register(const OfiFabric& fabric, const OfiUse& use);

}  // namespace gls::net
