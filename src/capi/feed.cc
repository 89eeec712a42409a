#include "feed/feed.h"

#include <string>

#include "capi/support/devices.h"
#include "capi/support/support.h"
#include "context/stop_scope.h"
#include "feed/feed_loader.h"

struct gls_feed {
  std::unique_ptr<gls::Feed> impl;
};

namespace gls {
namespace capi {

inline const Context& context_of(const gls_feed& handle) { return *handle.impl->context(); }

}  // namespace capi

namespace {

constexpr uint64_t kMostBytes = uint64_t{1} << 44;
constexpr uint32_t kMostConsumers = 65536;
constexpr size_t kMostPaths = 65536;

Status create_feed(gls_loader_t* loader, const gls_feed_options_t* options, gls_feed_t** out) {
  gls_feed_options_t given;
  GLS_TRY(capi::read_options(options, "options", &given));
  GLS_TRY(capi::check_reserved(given.reserved));
  if (given.path == nullptr) {
    return capi::null_argument("path");
  }
  if (given.consumers > kMostConsumers) {
    return invalid("consumers is {}, expected at most {}", given.consumers, kMostConsumers)
        .with("argument", "consumers");
  }
  constexpr uint32_t kAll = 0777;
  if (given.mode > kAll) {
    return invalid("mode is {:o}, expected at most 777", given.mode).with("argument", "mode");
  }
  if (given.bytes > kMostBytes) {
    return invalid("bytes is {}, expected at most {}", given.bytes, kMostBytes)
        .with("argument", "bytes");
  }
  if (loader->impl->local() == nullptr) {
    return error(GLS_ERR_UNSUPPORTED,
                 "the loader is attached to another process, whose batches are not passed on")
        .with("argument", "loader");
  }
  if (loader->impl->local()->options().device != nullptr) {
    return error(GLS_ERR_UNSUPPORTED,
                 "the loader delivers on a GPU; feeds pass on batches of the host")
        .with("argument", "loader");
  }
  FeedOptions feed;
  feed.path = given.path;
  feed.consumers = given.consumers != 0 ? given.consumers : feed.consumers;
  feed.mode = given.mode != 0 ? given.mode : feed.mode;
  feed.bytes = given.bytes != 0 ? given.bytes : feed.bytes;
  feed.prefetch = given.prefetch;
  std::shared_ptr<const Loader> own(loader->impl, loader->impl->local());
  GLS_ASSIGN(std::unique_ptr<Feed> made, Feed::create(std::move(own), std::move(feed)));
  *out = new gls_feed{std::move(made)};
  return {};
}

Status attach(const gls_context_t* ctx, const gls_attach_options_t* options, int64_t timeout_ms,
              gls_loader_t** out) {
  gls_attach_options_t given;
  GLS_TRY(capi::read_options(options, "options", &given));
  GLS_TRY(capi::check_reserved(given.reserved));
  if (given.paths == nullptr) {
    return capi::null_argument("paths");
  }
  if (given.num_paths == 0 || given.num_paths > kMostPaths) {
    return invalid("num_paths is {}, expected 1 to {}", given.num_paths, kMostPaths)
        .with("argument", "num_paths");
  }
  AttachOptions attach;
  for (size_t i = 0; i < given.num_paths; ++i) {
    if (given.paths[i] == nullptr) {
      return capi::null_argument("paths");
    }
    attach.paths.emplace_back(given.paths[i]);
  }
  if (given.world_size != 0 && given.rank >= given.world_size) {
    return invalid("rank is {}, expected 0 to {} for world_size {}", given.rank,
                   given.world_size - 1, given.world_size)
        .with("argument", "rank");
  }
  attach.rank = given.rank;
  attach.world_size = given.world_size;
  attach.timeout_ms = capi::limit_of(timeout_ms, attach.timeout_ms);
  attach.stall_ms = given.stall_ms != 0 ? given.stall_ms : attach.stall_ms;
  Result<std::shared_ptr<Device>> pin = capi::open_device(given.pin);
  if (!pin.ok()) {
    return std::move(pin.status()).prefixed("pin: ");
  }
  attach.pin = pin.take();
  GLS_ASSIGN(std::shared_ptr<FeedLoader> made, FeedLoader::create(ctx->impl, attach));
  *out = new gls_loader{std::move(made)};
  return {};
}

}  // namespace
}  // namespace gls

using gls::Status;
using gls::capi::guard;

extern "C" {

gls_status_t gls_feed_create(gls_loader_t* loader, const gls_feed_options_t* options,
                             gls_feed_t** out, gls_error_t** err) {
  return guard(err, [&]() -> Status {
    GLS_USE(loader);
    GLS_REQUIRE(options);
    GLS_REQUIRE(out);
    return gls::create_feed(loader, options, out);
  });
}

void gls_feed_release(gls_feed_t* feed) {
  if (feed != nullptr) {
    const std::shared_ptr<gls::Context> context = feed->impl->context();
    gls::capi::release(feed, *context);
  }
}

gls_status_t gls_feed_wait(gls_feed_t* feed, int64_t timeout_ms, gls_error_t** err) {
  bool over = false;
  const gls_status_t status = guard(err, [&]() -> Status {
    GLS_USE(feed);
    over = feed->impl->wait(gls::capi::limit_of(timeout_ms));
    return gls::is_given_up() ? gls::given_up() : Status();
  });
  return status != GLS_OK || over ? status : GLS_IN_PROGRESS;
}

gls_status_t gls_feed_get_info(const gls_feed_t* feed, gls_feed_info_t* out, gls_error_t** err) {
  return guard(err, [&]() -> Status {
    GLS_USE(feed);
    GLS_REQUIRE(out);
    const gls::FeedInfo info = feed->impl->info();
    return gls::capi::write_info(
        {0, info.consumers, info.attached, info.lost, info.batches, info.batch_bytes,
         info.used_bytes, info.wait_ns, info.copied_bytes},
        out);
  });
}

gls_status_t gls_feed_attach(gls_context_t* ctx, const gls_attach_options_t* options,
                             int64_t timeout_ms, gls_loader_t** out, gls_error_t** err) {
  return guard(err, [&]() -> Status {
    GLS_USE(ctx);
    GLS_REQUIRE(options);
    GLS_REQUIRE(out);
    return gls::attach(ctx, options, timeout_ms, out);
  });
}

gls_status_t gls_loader_dataset(const gls_loader_t* loader, gls_dataset_t** out,
                                gls_error_t** err) {
  return guard(err, [&]() -> Status {
    GLS_USE(loader);
    GLS_REQUIRE(out);
    *out = new gls_dataset{loader->impl->dataset()};
    return {};
  });
}

}  // extern "C"
