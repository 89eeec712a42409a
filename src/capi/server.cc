#include <string>

#include "capi/options/dataset_options.h"
#include "capi/support/futures.h"
#include "capi/support/servers.h"
#include "cluster/discovery/server_probe.h"
#include "net/connection/settings.h"

struct gls_probe {
  std::shared_ptr<gls::Context> context;
  gls::ServerProbe impl;
};

namespace gls {
namespace capi {
inline const Context& context_of(const gls_probe& handle) { return *handle.context; }
}  // namespace capi

namespace {

constexpr size_t kMostAddresses = 65536;
constexpr size_t kMostParts = 65536;

Result<GraphServerOptions> read_server(const gls_server_options_t& given,
                                       const Settings& settings) {
  GraphServerOptions out;
  GLS_TRY(capi::check_reserved(given.reserved));
  if (given.listen != nullptr) {
    out.listen = given.listen;
  }
  if (given.name != nullptr) {
    out.name = given.name;
  }
  if (given.num_parts > 0 && given.parts == nullptr) {
    return capi::null_argument("parts");
  }
  if (given.parts != nullptr && (given.num_parts == 0 || given.num_parts > kMostParts)) {
    return invalid("num_parts is {}, expected 1 to {}", given.num_parts, kMostParts)
        .with("argument", "num_parts");
  }
  out.parts.assign(given.parts, given.parts + given.num_parts);
  if (given.num_servers > kMostAddresses) {
    return invalid("num_servers is {}, expected at most {}", given.num_servers, kMostAddresses)
        .with("argument", "num_servers");
  }
  for (size_t i = 0; i < given.num_servers; ++i) {
    if (given.servers == nullptr || given.servers[i] == nullptr) {
      return capi::null_argument("servers");
    }
    out.servers.emplace_back(given.servers[i]);
  }
  out.table_bytes = given.table_bytes;
  GLS_ASSIGN(out.open, capi::read_dataset_options(given.open, "open"));
  GLS_ASSIGN(out.transport, net::transport_options(settings));
  out.limits = net::limits(settings);
  // Arrays that were read into memory are faster there, and their files no longer matter.
  out.service.gives_files =
      settings.flag(Setting::kClusterSameHost) && out.open.residency == Residency::kMapped;
  out.same_process = settings.flag(Setting::kClusterSameHost);
  out.others.same_host = settings.flag(Setting::kClusterSameHost);
  out.others.part.timeout_ms = capi::request_timeout(settings, GLS_TIMEOUT_DEFAULT);
  return out;
}

}  // namespace
}  // namespace gls

using gls::Status;
using gls::capi::guard;

extern "C" {

gls_status_t gls_server_start(gls_context_t* ctx, const char* path,
                              const gls_server_options_t* options, gls_server_t** out,
                              gls_error_t** err) {
  return guard(err, [&]() -> Status {
    GLS_USE(ctx);
    GLS_REQUIRE(path);
    GLS_REQUIRE(out);
    gls_server_options_t given;
    GLS_TRY(gls::capi::read_options(options, "options", &given));
    GLS_ASSIGN(const gls::GraphServerOptions read, gls::read_server(given, ctx->impl->settings()));
    GLS_ASSIGN(auto own, gls::Context::create_like(ctx->impl, given.num_threads));
    GLS_ASSIGN(auto made, gls::GraphServer::start(std::move(own), path, read));
    *out = new gls_server{std::move(made)};
    return {};
  });
}

void gls_server_release(gls_server_t* server) {
  if (server != nullptr) {
    gls::capi::release(server, server->impl->context());
  }
}

const char* gls_server_address(const gls_server_t* server) {
  return server == nullptr ? "" : server->impl->address().c_str();
}

gls_status_t gls_server_stop(gls_server_t* server, int64_t timeout_ms, gls_error_t** err) {
  return guard(err, [&]() -> Status {
    GLS_USE(server);
    server->impl->stop(gls::capi::limit_of(timeout_ms));
    return {};
  });
}

gls_status_t gls_server_get_info(const gls_server_t* server, gls_server_info_t* out,
                                 gls_error_t** err) {
  return guard(err, [&]() -> Status {
    GLS_USE(server);
    GLS_REQUIRE(out);
    const gls::net::EndpointStats net = server->impl->connections();
    const gls::PartServiceStats asked = server->impl->requests();
    return gls::capi::write_info(
        {0, static_cast<uint32_t>(server->impl->parts().size()), server->impl->parts_of_graph(),
         net.connections - std::min(net.connections, net.pending), net.pending, net.accepted,
         net.admitted, net.evicted, asked.requests, asked.failures},
        out);
  });
}

gls_status_t gls_server_probe(gls_context_t* ctx, const char* address, int64_t timeout_ms,
                              gls_probe_t** out, gls_error_t** err) {
  return guard(err, [&]() -> Status {
    GLS_USE(ctx);
    GLS_REQUIRE(address);
    GLS_REQUIRE(out);
    const gls::Settings& settings = ctx->impl->settings();
    GLS_ASSIGN(const gls::net::TransportOptions transport, gls::net::transport_options(settings));
    GLS_ASSIGN(gls::ServerProbe found,
               gls::probe_server(ctx->impl, address, transport, gls::net::limits(settings),
                                 gls::capi::request_timeout(settings, timeout_ms)));
    *out = new gls_probe{ctx->impl, std::move(found)};
    return {};
  });
}

void gls_probe_release(gls_probe_t* probe) {
  if (probe != nullptr) {
    const std::shared_ptr<gls::Context> context = probe->context;
    gls::capi::release(probe, *context);
  }
}

gls_status_t gls_probe_get_info(const gls_probe_t* probe, gls_probe_info_t* out,
                                gls_error_t** err) {
  return guard(err, [&]() -> Status {
    GLS_USE(probe);
    GLS_REQUIRE(out);
    const gls::ServerProbe& found = probe->impl;
    return gls::capi::write_info({0, found.name.c_str(), found.version.c_str(), found.graph.c_str(),
                                  found.parts.data(), found.parts.size(), found.graph_parts, 0},
                                 out);
  });
}

}  // extern "C"
