/** @file gls_swig_server.hpp
 *  Part of gls_swig.hpp: servers of parts of a graph.
 */
#ifndef GLS_SWIG_SERVER_HPP
#define GLS_SWIG_SERVER_HPP

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "gls_swig_calls.hpp"
#include "gls_swig_context.hpp"

namespace gls::facade {

struct ServerInfo {
  uint32_t parts;
  uint32_t graph_parts;
  uint64_t clients;
  uint64_t strangers;
  uint64_t accepted;
  uint64_t admitted;
  uint64_t evicted;
  uint64_t requests;
  uint64_t failures;
};

/** What a server said of itself. */
class ServerProbe {
 public:
  /** @param timeout_ms  as in gls.h */
  static ServerProbe* ask(const Context* context, const char* address, int64_t timeout_ms) {
    return new ServerProbe(gls::Probe(context->impl(), text_or_empty(address), timeout_ms));
  }
  const char* name() const { return info_.name; }
  const char* version() const { return info_.version; }
  const char* graph() const { return info_.graph; }
  uint32_t num_parts() const { return static_cast<uint32_t>(info_.num_parts); }
  uint32_t part(uint32_t index) const { return index < info_.num_parts ? info_.parts[index] : 0; }
  uint32_t graph_parts() const { return info_.graph_parts; }

#ifndef SWIG
  explicit ServerProbe(gls::Probe probe) : probe_(std::move(probe)), info_(probe_.info()) {}
#endif

 private:
  gls::Probe probe_;
  gls_probe_info_t info_;
};

class Server {
 public:
  const char* address() const { return gls_server_address(server_.get()); }
  /** Calls of it come out of the queue. */
  void function(const char* name, const CallQueue* queue) {
    const std::string text = text_or_empty(name);
    queue->attach([&](auto run, void* user_data, auto destroy) {
      server_.function(text, run, user_data, destroy);
    });
  }
  /** @param timeout_ms  as in gls.h */
  void stop(int64_t timeout_ms) { server_.stop(timeout_ms); }
  ServerInfo* info() const {
    const gls_server_info_t i = server_.info();
    return new ServerInfo{i.parts,    i.graph_parts, i.clients,  i.strangers, i.accepted,
                          i.admitted, i.evicted,     i.requests, i.failures};
  }

#ifndef SWIG
  explicit Server(gls::Server server) : server_(std::move(server)) {}
#endif

 private:
  gls::Server server_;
};

/** How a server is started. */
class ServerOptions {
 public:
  ServerOptions() = default;
  /** "host:port". */
  void set_listen(const char* address) { listen_ = text_or_empty(address); }
  void set_name(const char* name) { name_ = text_or_empty(name); }
  void add_part(uint32_t part) { parts_.push_back(part); }
  void add_server(const char* address) { servers_.push_back(text_or_empty(address)); }
  /** 0: as many as the context has. */
  void set_num_threads(uint32_t threads) { options_.num_threads = threads; }
  /** For tables of clients; 0: none. */
  void set_table_bytes(uint64_t bytes) { options_.table_bytes = bytes; }
  void set_residency(int32_t residency) { open_.residency = residency; }
  void set_verify(bool verify) { open_.verify_checksums = verify ? 1 : 0; }
  /** @param progress  may be NULL */
  Server* start(const Context* context, const char* path, Progress* progress) const {
    gls_dataset_options_t open = open_;
    if (progress != nullptr) {
      open.progress = Progress::call;
      open.progress_user_data = progress;
    }
    std::vector<const char*> servers;
    for (const std::string& address : servers_) {
      servers.push_back(address.c_str());
    }
    gls_server_options_t options = options_;
    options.listen = gls::detail::or_null(listen_);
    options.name = gls::detail::or_null(name_);
    options.parts = parts_.empty() ? nullptr : parts_.data();
    options.num_parts = parts_.size();
    options.servers = servers.data();
    options.num_servers = servers.size();
    options.open = &open;
    return new Server(gls::Server(context->impl(), text_or_empty(path), options));
  }

 private:
  gls_server_options_t options_ = GLS_SERVER_OPTIONS_INIT;
  gls_dataset_options_t open_ = GLS_DATASET_OPTIONS_INIT;
  std::string listen_;
  std::string name_;
  std::vector<uint32_t> parts_;
  std::vector<std::string> servers_;
};

}  // namespace gls::facade

#endif  // GLS_SWIG_SERVER_HPP
