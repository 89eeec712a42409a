#include <utility>

#include "capi/support/support.h"

namespace gls {
namespace {

using capi::guard;

Status create_context(const gls_context_options_t* options, gls_context_t** out) {
  gls_context_options_t given;
  Status read = capi::read_options(options, "options", &given);
  capi::UserData owned(given.log_user_data, given.log_destroy);
  GLS_TRY(std::move(read));
  GLS_REQUIRE(out);
  owned.give_away();  // create() destroys them, also if it fails
  GLS_ASSIGN(std::shared_ptr<Context> context,
             Context::create({given.num_threads, given.log_level}, given.log, given.log_user_data,
                             given.log_destroy));
  *out = new gls_context{std::move(context)};
  return {};
}

}  // namespace
}  // namespace gls

using gls::Status;
using gls::capi::guard;

extern "C" {

gls_status_t gls_context_create(const gls_context_options_t* options, gls_context_t** out,
                                gls_error_t** err) {
  return guard(err, [&] { return gls::create_context(options, out); });
}

void gls_context_release(gls_context_t* ctx) {
  if (ctx != nullptr) {
    const std::shared_ptr<gls::Context> context = ctx->impl;
    gls::capi::release(ctx, *context);
  }
}

gls_status_t gls_context_set(gls_context_t* ctx, const char* key, const char* value,
                             gls_error_t** err) {
  return guard(err, [&]() -> Status {
    GLS_USE(ctx);
    GLS_REQUIRE(key);
    GLS_REQUIRE(value);
    return ctx->impl->set(key, value);
  });
}

gls_status_t gls_context_get(const gls_context_t* ctx, const char* key, char* buffer,
                             size_t capacity, size_t* length, gls_error_t** err) {
  return guard(err, [&]() -> Status {
    GLS_USE(ctx);
    GLS_REQUIRE(key);
    GLS_ASSIGN(const std::string value, ctx->impl->settings().get(key));
    return gls::capi::copy_text(value, buffer, capacity, length);
  });
}

void gls_thread_set_interrupt(gls_interrupt_fn check, void* user_data, gls_interrupt_fn* previous,
                              void** previous_user_data) {
  gls::Interrupt& current = gls::current_interrupt;
  if (previous != nullptr) {
    *previous = current.check;
  }
  if (previous_user_data != nullptr) {
    *previous_user_data = current.user_data;
  }
  // An interruption of a running call stays: its function may set another one for its own calls.
  current = {check, user_data, 0, current.asked};
}

size_t gls_setting_count(void) { return gls::setting_specs().size(); }

gls_status_t gls_setting_get_info(size_t index, gls_setting_info_t* out, gls_error_t** err) {
  return guard(err, [&]() -> Status {
    GLS_REQUIRE(out);
    const auto specs = gls::setting_specs();
    if (index >= specs.size()) {
      return gls::not_found("setting {} does not exist, there are {}", index, specs.size());
    }
    const gls::SettingSpec& spec = specs[index];
    return gls::capi::write_info({0, spec.key, spec.type, spec.default_value, spec.env, spec.help},
                                 out);
  });
}

}  // extern "C"
