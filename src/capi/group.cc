#include "cluster/group/group.h"

#include "capi/support/futures.h"
#include "capi/support/servers.h"
#include "cluster/rpc/part_functions.h"
#include "net/connection/settings.h"

struct gls_group {
  std::unique_ptr<gls::group::Group> impl;
  std::shared_ptr<const gls::Context> context;
};

namespace gls {
namespace capi {

inline const Context& context_of(const gls_group& handle) { return *handle.context; }

}  // namespace capi

namespace {

std::string text_of(const char* text) { return text != nullptr ? text : ""; }

group::Exchange read_exchange(const gls_group_options_t& given) {
  if (given.exchange == nullptr) {
    return {};
  }
  return [function = given.exchange, user_data = given.exchange_user_data](
             group::Bytes mine, std::span<std::byte> all) -> Status {
    if (function(user_data, mine.data(), mine.size(), all.data()) != 0) {
      return error(GLS_ERR_CANCELED, "exchange: stopped by the function that exchanges addresses");
    }
    return {};
  };
}

Result<group::GroupOptions> read_group(const gls_group_options_t& given, int64_t timeout_ms,
                                       Context& context) {
  group::GroupOptions out;
  GLS_TRY(capi::check_enum(given.launcher, group::Launcher::kPmix, "launcher"));
  if (given.name != nullptr) {
    out.name = given.name;
  }
  if (given.exchange != nullptr && given.rendezvous != nullptr) {
    return invalid(
               "rendezvous is \"{}\", but exchange is given, which tells where rank 0 is; expected "
               "one of the two",
               given.rendezvous)
        .with("argument", "rendezvous");
  }
  group::LauncherRequest wish;
  wish.launcher = static_cast<group::Launcher>(given.launcher);
  wish.group = out.name;
  wish.rank = given.rank;
  wish.world_size = given.world_size;
  wish.rendezvous = text_of(given.rendezvous);
  wish.finds_rank_0 = given.exchange == nullptr;
  GLS_ASSIGN(out.place, group::find_place(wish, group::process_environment()));
  out.listen = text_of(given.listen);
  out.process_name = text_of(given.process_name);
  out.exchange = read_exchange(given);
  out.timeout_ms = capi::limit_of(timeout_ms, out.timeout_ms);
  out.function_threads = given.num_threads != 0 ? given.num_threads : context.pool().size();
  out.progress = capi::make_progress(given.progress, given.progress_user_data);
  if (out.place.world_size > 1) {
    GLS_ASSIGN(out.transport, net::transport_options(context.settings()));
    out.limits = net::limits(context.settings());
  }
  return out;
}

gls_future_t* hand_over(std::shared_ptr<group::Future> future,
                        std::shared_ptr<const Context> context, std::shared_ptr<const void> keeps) {
  return new gls_future{std::move(future), std::move(context), std::move(keeps)};
}

Status add_function(group::FunctionTable& table, const char* name, gls_function_fn function,
                    void* user_data, gls_destroy_fn destroy) {
  GLS_REQUIRE(name);
  GLS_REQUIRE(function);
  return table.add(name, function, user_data, destroy);
}

}  // namespace
}  // namespace gls

using gls::Status;
using gls::capi::guard;
using gls::group::OperationKind;

extern "C" {

gls_status_t gls_group_join(gls_context_t* ctx, const gls_group_options_t* options,
                            int64_t timeout_ms, gls_group_t** out, gls_error_t** err) {
  return guard(err, [&]() -> Status {
    GLS_USE(ctx);
    GLS_REQUIRE(out);
    gls_group_options_t given;
    GLS_TRY(gls::capi::read_options(options, "options", &given));
    GLS_ASSIGN(gls::group::GroupOptions read, gls::read_group(given, timeout_ms, *ctx->impl));
    // Joining and operations are short; functions have threads of their own.
    GLS_ASSIGN(auto own, gls::Context::create_like(ctx->impl, 1));
    auto handle = std::make_unique<gls_group>();
    handle->context = own;
    GLS_ASSIGN(handle->impl, gls::group::Group::join(std::move(own), std::move(read)));
    *out = handle.release();
    return {};
  });
}

void gls_group_release(gls_group_t* group) {
  if (group != nullptr) {
    const std::shared_ptr<const gls::Context> context = group->context;
    gls::capi::release(group, *context);
  }
}

gls_status_t gls_group_leave(gls_group_t* group, int64_t timeout_ms, gls_error_t** err) {
  return guard(err, [&]() -> Status {
    GLS_USE(group);
    group->impl->leave(gls::capi::limit_of(timeout_ms));
    return {};
  });
}

gls_status_t gls_group_get_info(const gls_group_t* group, gls_group_info_t* out,
                                gls_error_t** err) {
  return guard(err, [&]() -> Status {
    GLS_USE(group);
    GLS_REQUIRE(out);
    const gls::group::Group& impl = *group->impl;
    const gls::group::Place& place = impl.place();
    return gls::capi::write_info(
        {0, impl.name().c_str(), place.rank, place.world_size, impl.local_rank(), impl.local_size(),
         static_cast<int32_t>(place.launcher), 0, impl.operations()},
        out);
  });
}

gls_status_t gls_group_get_member_info(const gls_group_t* group, uint32_t rank,
                                       gls_member_info_t* out, gls_error_t** err) {
  return guard(err, [&]() -> Status {
    GLS_USE(group);
    GLS_REQUIRE(out);
    const auto& members = group->impl->members();
    if (rank >= members.size()) {
      return gls::invalid("rank is {}, expected 0 to {}", rank, members.size() - 1)
          .with("argument", "rank");
    }
    const gls::group::Member& member = members[rank];
    return gls::capi::write_info(
        {0, member.name.c_str(), member.host.c_str(), member.address.c_str(), member.process}, out);
  });
}

gls_status_t gls_group_barrier(gls_group_t* group, int64_t timeout_ms, gls_future_t** out,
                               gls_error_t** err) {
  return guard(err, [&]() -> Status {
    GLS_USE(group);
    GLS_ASSIGN(auto future,
               group->impl->operate(OperationKind::kBarrier, {}, gls::capi::limit_of(timeout_ms)));
    if (out != nullptr) {
      *out = gls::hand_over(std::move(future), group->context, nullptr);
      return {};
    }
    Status status = future->wait_for_status();
    future->cancel();  // what was interrupted
    return status;
  });
}

gls_status_t gls_group_all_gather(gls_group_t* group, const void* data, size_t size,
                                  int64_t timeout_ms, gls_future_t** out, gls_error_t** err) {
  return guard(err, [&]() -> Status {
    GLS_USE(group);
    GLS_REQUIRE(out);
    GLS_ASSIGN(const gls::group::Bytes bytes, gls::capi::read_bytes(data, size));
    GLS_ASSIGN(auto future, group->impl->operate(OperationKind::kGather, bytes,
                                                 gls::capi::limit_of(timeout_ms)));
    *out = gls::hand_over(std::move(future), group->context, nullptr);
    return {};
  });
}

gls_status_t gls_group_function(gls_group_t* group, const char* name, gls_function_fn function,
                                void* user_data, gls_destroy_fn destroy, gls_error_t** err) {
  gls::capi::UserData owned(user_data, destroy);
  return guard(err, [&]() -> Status {
    GLS_USE(group);
    GLS_TRY(gls::add_function(group->impl->functions(), name, function, user_data, destroy));
    owned.give_away();
    return {};
  });
}

gls_status_t gls_server_function(gls_server_t* server, const char* name, gls_function_fn function,
                                 void* user_data, gls_destroy_fn destroy, gls_error_t** err) {
  gls::capi::UserData owned(user_data, destroy);
  return guard(err, [&]() -> Status {
    GLS_USE(server);
    GLS_TRY(gls::add_function(server->impl->functions(), name, function, user_data, destroy));
    owned.give_away();
    return {};
  });
}

gls_status_t gls_group_call(gls_group_t* group, uint32_t rank, const char* function,
                            const void* data, size_t size, int64_t timeout_ms,
                            const gls_call_options_t* options, gls_future_t** out,
                            gls_error_t** err) {
  return guard(err, [&]() -> Status {
    GLS_USE(group);
    GLS_REQUIRE(function);
    GLS_REQUIRE(out);
    GLS_ASSIGN(const gls::group::Bytes bytes, gls::capi::read_bytes(data, size));
    GLS_ASSIGN(const auto rules,
               gls::capi::read_rules(options, timeout_ms, group->context->settings()));
    GLS_ASSIGN(auto future, group->impl->call(rank, function, bytes, rules));
    *out = gls::hand_over(std::move(future), group->context, nullptr);
    return {};
  });
}

gls_status_t gls_dataset_call(const gls_dataset_t* dataset, uint32_t part, const char* function,
                              const void* data, size_t size, int64_t timeout_ms,
                              const gls_call_options_t* options, gls_future_t** out,
                              gls_error_t** err) {
  return guard(err, [&]() -> Status {
    GLS_USE(dataset);
    GLS_REQUIRE(function);
    GLS_REQUIRE(out);
    const auto* const servers = gls::group::PartFunctions::of(*dataset->impl);
    if (servers == nullptr) {
      return gls::error(GLS_ERR_UNSUPPORTED, "the dataset is not served; functions need gls://");
    }
    GLS_TRY(gls::group::check_function_name(function, "function"));
    GLS_ASSIGN(const gls::group::Bytes bytes, gls::capi::read_bytes(data, size));
    const auto& context = dataset->impl->context();
    GLS_ASSIGN(const auto rules, gls::capi::read_rules(options, timeout_ms, context->settings()));
    GLS_ASSIGN(auto future, servers->call_function({function, -1, part, bytes}, rules));
    *out = gls::hand_over(std::move(future), context, dataset->impl);
    return {};
  });
}

}  // extern "C"
