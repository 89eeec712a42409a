// The functions of libfabric, which is loaded when first needed: all that it exports of what is
// used here. The others are pointers in its objects, called by its headers.
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

// Loaded once, and never unloaded. Null: `why` says what is missing.
const Ofi* load_ofi(std::string* why);

// For any object of libfabric: closed when it goes.
struct CloseFid {
  template <typename Object>
  void operator()(Object* object) const {
    fi_close(&object->fid);
  }
};
template <typename Object>
using Fid = std::unique_ptr<Object, CloseFid>;

using OfiInfo = std::unique_ptr<fi_info, decltype(&::fi_freeinfo)>;

// The words for what a function gave, which is zero or negative.
inline std::string said(const Ofi& ofi, ssize_t status) {
  return ofi.fi_strerror(static_cast<int>(status < 0 ? -status : status));
}

}  // namespace gls::net
