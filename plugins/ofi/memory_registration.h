// Registers memory that libfabric must know before its use: memory that peers read, and GPU memory
// that libfabric writes to.
#pragma once

#include <cstdint>
#include <string>

#include "plugins/ofi/fabric.h"

namespace gls::net {

struct OfiUse {
  OfiBytes memory;
  uint64_t access = 0;
  int gpu = -1;  // the GPU that owns it; else it is host memory
};
// Describes memory that receives data. False: it is not GPU memory.
bool use_to_land(const OfiFabric& fabric, OfiBytes memory, OfiUse* use);
inline constexpr char kNotOfGpus[] = "memory of a GPU: its driver knows nothing of it";

// Returns an error text, or empty. Providers that bind memory to endpoints (FI_MR_ENDPOINT) cannot
// close an endpoint with bound memory. `ep` is NULL where nothing is transferred.
std::string register_memory(const OfiFabric& fabric, fid_domain* domain, fid_ep* ep,
                            const OfiUse& use, Fid<fid_mr>* out);
// Whether libfabric accepts the memory, tried in a separate domain.
std::string try_to_register(const OfiFabric& fabric, const OfiUse& use);

}  // namespace gls::net
