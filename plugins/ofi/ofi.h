// The functions of libfabric that this plugin uses, loaded at first use. libfabric exports only
// these; the others are pointers in its objects, which its headers call.
#pragma once

#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>
#include <rdma/fi_tagged.h>

#include <memory>
#include <string>

namespace gls::net {

#define GLS_OFI_FUNCTIONS(X) \
  X(fi_dupinfo)              \
  X(fi_fabric)               \
  X(fi_freeinfo)             \
  X(fi_getinfo)              \
  X(fi_strerror)

struct Ofi {
#define GLS_DECLARE(name) decltype(&::name) name = nullptr;
  GLS_OFI_FUNCTIONS(GLS_DECLARE)
#undef GLS_DECLARE
};

// Loaded once, and never unloaded. Null: `why` states what is missing.
const Ofi* load_ofi(std::string* why);

// Closes any libfabric object on destruction.
struct CloseFid {
  template <typename Object>
  void operator()(Object* object) const {
    fi_close(&object->fid);
  }
};
template <typename Object>
using Fid = std::unique_ptr<Object, CloseFid>;

using OfiInfo = std::unique_ptr<fi_info, decltype(&::fi_freeinfo)>;

// The text for a returned status, which is zero or negative.
inline std::string error_text(const Ofi& ofi, ssize_t status) {
  return ofi.fi_strerror(static_cast<int>(status < 0 ? -status : status));
}

}  // namespace gls::net
