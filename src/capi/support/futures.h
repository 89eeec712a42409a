// The future and function-call handles of the C ABI.
#pragma once

#include <memory>

#include "capi/support/support.h"
#include "cluster/rpc/function_caller.h"
#include "cluster/rpc/function_registry.h"
#include "cluster/rpc/future.h"

struct gls_future {
  std::shared_ptr<gls::group::Future> impl;
  std::shared_ptr<const gls::Context> context;
  std::shared_ptr<const void> keeps;  // the object that it comes from
};

namespace gls::capi {

inline const Context& context_of(const gls_future& handle) { return *handle.context; }
inline const Context& context_of(const gls_call& handle) { return handle.impl->context(); }

// The bytes that a caller passed.
Result<group::Bytes> read_bytes(const void* data, size_t size);
// GLS_TIMEOUT_DEFAULT: the value of the setting, where 0 means no limit.
int64_t request_timeout(const Settings& settings, int64_t given_ms);
Result<group::CallRules> read_rules(const gls_call_options_t* options, int64_t timeout_ms,
                                    const Settings& settings);

}  // namespace gls::capi
