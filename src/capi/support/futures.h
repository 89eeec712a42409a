// Answers and calls of functions, as the C ABI has them.
#pragma once

#include <memory>

#include "capi/support/support.h"
#include "cluster/rpc/function_caller.h"
#include "cluster/rpc/function_registry.h"
#include "cluster/rpc/future.h"

struct gls_answer {
  std::shared_ptr<gls::group::Answer> impl;
  std::shared_ptr<const gls::Context> context;
  std::shared_ptr<const void> keeps;  // what it comes from
};

namespace gls::capi {

inline const Context& context_of(const gls_answer& handle) { return *handle.context; }
inline const Context& context_of(const gls_call& handle) { return handle.impl->context(); }

// Bytes that a caller gives.
Result<group::Bytes> read_bytes(const void* data, size_t size);
// 0: as the setting says, where it stands for no limit.
int64_t request_timeout(const Settings& settings, int64_t given_ms);
Result<group::CallRules> read_rules(const gls_call_options_t* options, const Settings& settings);

}  // namespace gls::capi
