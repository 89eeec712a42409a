// Questions that servers keep for a while, and a graph of two servers that do.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cluster/client/remote_graph.h"
#include "loader/pipeline/loader.h"
#include "part_servers.h"

namespace gls::test {

// Questions of some kinds that are kept, and not answered before answer().
class Kept {
 public:
  explicit Kept(std::set<cluster::Kind> kinds) : kinds_(std::move(kinds)) {}

  Server::Change change() {
    return [this](net::Handlers* handlers) {
      for (const cluster::Kind kind : kinds_) {
        net::Handler& handler = (*handlers)[static_cast<uint16_t>(kind)];
        handler = [this, given = handler](const net::Request& request) {
          const std::lock_guard lock(mutex_);
          if (open_) {
            given(request);
          } else {
            requests_.emplace_back(given, request);
          }
        };
      }
    };
  }
  void open() {
    const std::lock_guard lock(mutex_);
    open_ = true;
  }
  // And what was kept.
  void answer() {
    open();
    const std::lock_guard lock(mutex_);
    for (auto& [given, request] : requests_) {
      given(request);
    }
    requests_.clear();
  }
  size_t count() const {
    const std::lock_guard lock(mutex_);
    return requests_.size();
  }

 private:
  const std::set<cluster::Kind> kinds_;
  mutable std::mutex mutex_;
  bool open_ = false;
  std::vector<std::pair<net::Handler, net::Request>> requests_;
};

struct TwoServers {
  explicit TwoServers(const std::string& way, Kept* kept = nullptr) {
    for (size_t p = 0; p < 2; ++p) {
      servers.push_back(
          std::make_unique<Server>(graph, std::vector{p}, way, "127.0.0.1:0",
                                   kept != nullptr ? kept->change() : Server::Change()));
    }
    RemoteGraphOptions options;
    options.transport = net::options_for(way).transport;
    options.timeout_ms = 20000;
    options.part.timeout_ms = -1;
    auto opened = open_served(
        context, "gls://" + servers[0]->address() + "," + servers[1]->address(), options);
    EXPECT_TRUE(opened.ok()) << opened.status().message();
    dataset = opened.take();
  }

  std::shared_ptr<Loader> loader(uint32_t workers = 2) const {
    SamplerOptions sampling = two_hops();
    auto sampler = Sampler::create(dataset, sampling);
    EXPECT_TRUE(sampler.ok()) << sampler.status().message();
    LoaderOptions loading;
    loading.plan.batch_size = 50;
    loading.num_workers = workers;
    loading.columns = default_columns(**sampler);
    auto out = Loader::create(*sampler, Tensor(), std::move(loading));
    EXPECT_TRUE(out.ok()) << out.status().message();
    return out.take();
  }

  const CutGraph& graph = CutGraph::of(2);
  std::shared_ptr<Context> context = context_of();
  std::vector<std::unique_ptr<Server>> servers;
  std::shared_ptr<const Dataset> dataset;
};

}  // namespace gls::test
