#include "cluster/served_graph.h"

#include <algorithm>
#include <chrono>
#include <deque>
#include <map>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include "cluster/graph_description.h"
#include "cluster/part_files.h"
#include "cluster/part_functions.h"
#include "cluster/parts_source.h"
#include "cluster/replicated_part.h"
#include "cluster/whole_dataset.h"
#include "net/endpoint.h"

namespace gls {
namespace {

using cluster::Deadline;

// What the parts are asked by, and the endpoint that they are reached from.
class ServedGraph final : public GraphSource, public group::PartFunctions {
 public:
  ServedGraph(std::shared_ptr<net::Endpoint> endpoint, std::unique_ptr<const PartsSource> parts,
              std::unique_ptr<group::PartCaller> functions)
      : endpoint_(std::move(endpoint)),
        parts_(std::move(parts)),
        functions_(std::move(functions)) {}

  Result<std::shared_ptr<const HopSource>> open_hops(const SamplerOptions& options) const override {
    return parts_->open_hops(options);
  }
  Later<Tensor> ask_rows(const RowQuestion& question, int64_t rows) const override {
    return parts_->ask_rows(question, rows);
  }
  Later<Tensor> ask_edges(const EdgeQuestion& question) const override {
    return parts_->ask_edges(question);
  }
  Result<std::shared_ptr<group::Answer>> call_function(
      const group::FunctionRequest& request, const group::CallRules& rules) const override {
    return functions_->call(request, rules);
  }

 private:
  const std::shared_ptr<net::Endpoint> endpoint_;  // outlives those who ask
  const std::unique_ptr<const PartsSource> parts_;
  const std::unique_ptr<group::PartCaller> functions_;
};

Result<std::vector<std::string>> addresses_of(const std::string& url) {
  const auto bad = [&](std::string_view what) {
    return invalid("path: \"{}\" {}, expected gls://host:port, or several with commas", url, what)
        .with("argument", "path");
  };
  std::string_view rest = url;
  if (!rest.starts_with(kGraphScheme)) {
    return bad("does not begin with gls://");
  }
  rest.remove_prefix(kGraphScheme.size());
  if (rest.ends_with('/')) {
    rest.remove_suffix(1);
  }
  std::vector<std::string> out;
  for (bool more = true; more;) {
    const size_t comma = rest.find(',');
    out.emplace_back(rest.substr(0, comma));
    more = comma != std::string_view::npos;
    rest.remove_prefix(more ? comma + 1 : rest.size());
    const auto address = net::split_address(out.back(), "path");
    if (!address.ok()) {
      return bad(formatted("has the address \"{}\"", out.back()));
    }
  }
  return out;
}

// Finds who serves what, beginning with the servers that are known.
class Search {
 public:
  Search(net::Endpoint& endpoint, std::shared_ptr<BufferPool> pool, Deadline deadline,
         const Progress& progress)
      : endpoint_(endpoint), pool_(std::move(pool)), deadline_(deadline), progress_(progress) {}

  // Until each part has a server, or the time is over.
  Status run(const std::vector<std::string>& known) {
    for (const std::string& address : known) {
      add(address);
    }
    constexpr auto kPause = std::chrono::milliseconds(50);
    for (bool again = false;; again = true) {
      if (again) {
        std::this_thread::sleep_for(kPause);
      }
      // All once, also those that are not needed now; it grows.
      for (size_t i = 0; i < servers_.size() && !(again && complete()); ++i) {
        GLS_TRY(report(progress_, "finding servers", owners_.size(),
                       partition_ != nullptr ? partition_->parts : 0, "parts"));
        GLS_TRY(visit(i));
      }
      if (complete()) {
        return {};
      }
      if (deadline_.left_ms() == 0) {
        return missing();
      }
    }
  }

  const std::shared_ptr<const format::PartitionT>& partition() const { return partition_; }
  struct Owner {
    std::shared_ptr<net::Peer> peer;
    uint64_t host;  // of processes that get its files
  };
  using Owners = std::map<uint32_t, std::vector<Owner>>;
  const Owners& owners() const { return owners_; }

 private:
  struct Server {
    std::string address;
    bool described = false;
    std::string why;  // it is not
  };

  void add(const std::string& address) {
    const auto same = [&](const Server& server) { return server.address == address; };
    if (std::none_of(servers_.begin(), servers_.end(), same)) {
      servers_.push_back({address, false, {}});
    }
  }

  Status visit(size_t index) {
    if (servers_[index].described) {
      return {};
    }
    constexpr int64_t kOneMs = 2000;  // another server may be there meanwhile
    const int64_t left = deadline_.left_ms();
    const int64_t timeout = left < 0 ? kOneMs : std::min(left, kOneMs);
    auto peer = endpoint_.connect(servers_[index].address, timeout);
    if (!peer.ok()) {
      return failed(index, std::move(peer.status()));
    }
    auto described = describe(*peer, pool_, timeout);
    if (!described.ok()) {
      return failed(index, std::move(described.status()));
    }
    servers_[index].described = true;
    if (partition_ == nullptr) {
      partition_ = described->partition;
    } else if (partition_->graph != described->partition->graph) {
      return invalid("path: {} serves partition {}, and {} another, {}", servers_[index].address,
                     described->partition->graph, first_, partition_->graph)
          .with("argument", "path")
          .with("peer", servers_[index].address);
    }
    first_ = first_.empty() ? servers_[index].address : first_;
    for (const uint32_t part : described->parts) {
      if (part < partition_->parts) {
        owners_[part].push_back({*peer, described->host});
      }
    }
    for (const cluster::ServerOfParts& server : described->servers) {
      add(server.address);
    }
    return {};
  }

  // Those who refuse a client will do so again.
  Status failed(size_t index, Status status) {
    if (status.code() == GLS_ERR_INVALID_ARGUMENT || status.code() == GLS_ERR_UNSUPPORTED) {
      return status;
    }
    std::string& why = servers_[index].why;
    if (why.empty() || deadline_.left_ms() != 0) {  // else the last try had no time to say why
      why = status.message();
    }
    return {};
  }

  bool complete() const { return partition_ != nullptr && owners_.size() == partition_->parts; }

  Status missing() const {
    std::string why;
    for (const Server& server : servers_) {
      if (!server.described) {
        why += (why.empty() ? "" : "; ") + (server.why.empty() ? server.address : server.why);
      }
    }
    if (partition_ == nullptr) {
      return error(GLS_ERR_TIMED_OUT, "path: no server was reached: {}", why)
          .with("argument", "path");
    }
    std::string parts;
    for (uint32_t p = 0; p < partition_->parts; ++p) {
      if (!owners_.contains(p)) {
        parts += (parts.empty() ? "" : ", ") + std::to_string(p);
      }
    }
    return error(GLS_ERR_TIMED_OUT, "path: nobody serves part {} of {}{}{}", parts,
                 partition_->parts, why.empty() ? "" : "; not reached: ", why)
        .with("argument", "path");
  }

  net::Endpoint& endpoint_;
  const std::shared_ptr<BufferPool> pool_;
  const Deadline deadline_;
  const Progress& progress_;
  std::deque<Server> servers_;
  std::string first_;
  std::shared_ptr<const format::PartitionT> partition_;
  Owners owners_;
};

// A part of a server on this host that gives its files; null: there is none.
Result<std::shared_ptr<const Part>> map_part_here(const std::shared_ptr<Context>& context,
                                                  const std::vector<Search::Owner>& owners,
                                                  const Partition& partition, uint32_t number,
                                                  const Deadline& deadline) {
  const uint64_t here = net::host_number();
  for (const Search::Owner& owner : owners) {
    if (here == 0 || owner.host != here) {
      continue;
    }
    auto part = map_part(context, owner.peer, partition, number, deadline.left_ms());
    const Log& log = context->log();
    if (part.ok()) {
      log.write(GLS_LOG_INFO, "cluster", "part {} is mapped from the files of {}, on this host",
                number, owner.peer->address());
      return part;
    }
    if (part.status().code() == GLS_ERR_CORRUPT_DATA) {
      return std::move(part.status());
    }
    log.write(GLS_LOG_INFO, "cluster",
              "part {} of {}, on this host, is asked for by the network: {}", number,
              owner.peer->address(), part.status().message());
  }
  return std::shared_ptr<const Part>();
}

}  // namespace

Result<std::shared_ptr<const Dataset>> open_served(const std::shared_ptr<Context>& context,
                                                   const std::string& url,
                                                   const ServedGraphOptions& options) {
  GLS_ASSIGN(const std::vector<std::string> known, addresses_of(url));
  net::EndpointOptions endpoint_options;
  endpoint_options.transport = options.transport;
  endpoint_options.limits = options.limits;
  endpoint_options.role = "client";
  endpoint_options.name = options.name;
  GLS_ASSIGN(std::shared_ptr<net::Endpoint> endpoint,
             net::Endpoint::create(context, std::move(endpoint_options)));
  const Deadline deadline(options.timeout_ms);
  Search search(*endpoint, context->buffers(), deadline, options.progress);
  GLS_TRY(search.run(known));

  const std::shared_ptr<net::Peer> any = search.owners().begin()->second.front().peer;
  const ArrayReader arrays = [&](const format::ArrayT& array) {
    return fetch_array(any, context->buffers(), *search.partition(), array.file,
                       deadline.left_ms());
  };
  GLS_ASSIGN(std::shared_ptr<const Partition> partition,
             make_partition(url, search.partition(), arrays));
  std::vector<std::shared_ptr<const Part>> parts;
  const size_t first = std::random_device()();  // so that clients spread over replicas
  std::map<uint32_t, std::vector<std::shared_ptr<net::Peer>>> servers;  // of each part
  for (const auto& [number, owners] : search.owners()) {
    for (const auto& [peer, host] : owners) {
      servers[number].push_back(peer);
    }
    if (options.same_host) {
      GLS_ASSIGN(std::shared_ptr<const Part> mapped,
                 map_part_here(context, owners, *partition, number, deadline));
      if (mapped != nullptr) {
        parts.push_back(std::move(mapped));
        continue;
      }
    }
    ServedPartOptions each = options.part;
    each.ask_again = each.ask_again && owners.size() == 1;
    std::vector<std::shared_ptr<const ServedPart>> replicas;
    for (const auto& [peer, host] : owners) {
      GLS_ASSIGN(auto made, ServedPart::create(context, peer, search.partition(), number, each));
      replicas.push_back(std::move(made));
    }
    if (replicas.size() == 1) {
      parts.push_back(std::move(replicas[0]));
    } else {
      parts.push_back(std::make_shared<ReplicatedPart>(context, std::move(replicas), first,
                                                       options.part.timeout_ms));
    }
  }
  auto source =
      std::make_unique<const PartsSource>(context->buffers(), partition, std::move(parts));
  auto functions = std::make_unique<group::PartCaller>(context->buffers(), servers);
  return whole_dataset(
      context, *partition, arrays,
      std::make_shared<ServedGraph>(std::move(endpoint), std::move(source), std::move(functions)));
}

}  // namespace gls
