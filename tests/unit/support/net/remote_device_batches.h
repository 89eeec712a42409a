// A server and a client whose batches are on a GPU, or on the emulated runtime.
#pragma once

#include <cstdlib>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "cluster/client/remote_graph.h"
#include "cluster/server/graph_server.h"
#include "loader/pipeline/loader.h"
#include "part_servers.h"
#include "test_device.h"

namespace gls::test {

using net::DeviceMemory;
using net::OneSided;

// Beside channels, whose plugins are elsewhere where the runtime is emulated.
inline void use_device_plugins() {
  const std::string folder = on_gpu() ? "" : std::string(kCudaOnHost) + ":";
  setenv("GLS_PLUGIN_PATH", (folder + kPluginFolder).c_str(), 1);
  setenv("CUDA_ON_HOST_MEMORY", "268435456", 1);
}

inline net::TransportOptions transport_of(const std::string& way, OneSided one_sided,
                                          DeviceMemory device_memory) {
  net::TransportOptions out = net::options_for(way).transport;
  out.data.one_sided = one_sided;
  out.data.device_memory = device_memory;
  return out;
}

// A server of all parts, and a client.
struct ServedForDevices {
  ServedForDevices(const std::string& way, OneSided one_sided, DeviceMemory device_memory)
      : graph(CutGraph::of(3)) {
    GraphServerOptions serving;
    serving.transport = transport_of(way, one_sided, device_memory);
    auto started = GraphServer::start(context_of(), graph.path, serving);
    EXPECT_TRUE(started.ok()) << started.status().message();
    server = started.take();
    RemoteGraphOptions asking;
    asking.transport = serving.transport;
    asking.timeout_ms = 20000;
    asking.same_host = false;
    asking.part.most_reply_bytes = 16384;
    auto opened = open_served(context, "gls://" + server->address(), asking);
    EXPECT_TRUE(opened.ok()) << opened.status().message();
    dataset = opened.take();
    use_device_plugins();
  }

  // That this was warned of on the side of the client.
  bool warned(const std::string& text) const {
    const std::lock_guard lock(mutex);
    return warnings.find(text) != std::string::npos;
  }

  const CutGraph& graph;
  mutable std::mutex mutex;
  std::string warnings;
  std::shared_ptr<Context> context = Context::create({2, GLS_LOG_WARN}, hear, this, nullptr).take();
  std::unique_ptr<GraphServer> server;
  std::shared_ptr<const Dataset> dataset;

 private:
  static void hear(void* data, int32_t, const char*, const char* text) {
    auto* const self = static_cast<ServedForDevices*>(data);
    const std::lock_guard lock(self->mutex);
    self->warnings += std::string(text) + "\n";
  }
};

inline LoaderOptions loading(const Sampler& sampler, const std::shared_ptr<Device>& device) {
  LoaderOptions out;
  out.plan.batch_size = 200;
  out.columns = default_columns(sampler);
  out.device = device;
  return out;
}

inline std::shared_ptr<const Sampler> make_sampler(const std::shared_ptr<const Dataset>& dataset,
                                                   bool disjoint) {
  SamplerOptions options = two_hops();
  options.disjoint = disjoint;
  auto sampler = Sampler::create(dataset, options);
  EXPECT_TRUE(sampler.ok()) << sampler.status().message();
  return sampler.take();
}

}  // namespace gls::test
