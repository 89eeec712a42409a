// Answers requests about the parts that this server holds: the handlers of its endpoint.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "cluster/part/local_part.h"
#include "cluster/server/sampler_sessions.h"
#include "cluster/wire/messages.h"
#include "graph/partition/partition.h"
#include "net/connection/control.h"
#include "net/connection/request.h"

namespace gls {

struct PartServiceOptions {
  size_t most_samplers = 64;
  // Of excluded edges; the least recently used sampler is evicted first.
  uint64_t most_sampler_bytes = uint64_t{512} << 20;
  uint64_t most_chunk_bytes = uint64_t{8} << 20;  // of an array in one reply
  uint64_t most_row_bytes = uint64_t{256} << 20;  // of rows in one reply
  // Of picks in one reply; the picks of one node may fill a message.
  uint64_t most_hop_bytes = uint64_t{64} << 20;
  bool gives_files = false;  // to clients on the same host, which map the files
};

struct PartServiceStats {
  uint64_t requests = 0;  // answered requests
  uint64_t failures = 0;  // requests answered with an error
  uint64_t request_bytes = 0;
  uint64_t reply_bytes = 0;  // without error replies
};

class PartService : public std::enable_shared_from_this<PartService> {
 public:
  // An error: a dataset is not a part of this partition, or a part appears twice.
  static Result<std::shared_ptr<PartService>> create(
      std::shared_ptr<const Partition> partition,
      const std::vector<std::shared_ptr<const Dataset>>& parts,
      const PartServiceOptions& options = {});

  // The handlers keep the service alive, and call answer().
  net::Handlers handlers();
  // Works on this thread without waiting. `done` receives the reply once: now, or on the thread
  // that is already making the same sampler.
  using Done = std::function<void(Result<net::Message>)>;
  // Lets the client read the memory of a tensor; returns the key.
  using Share = std::function<Result<net::Bytes>(const Tensor&)>;
  void answer(cluster::Kind kind, cluster::Bytes request, const Done& done,
              const Share& share = {});
  // Sets the servers and their parts for later descriptions.
  void set_servers(std::vector<cluster::ServerOfParts> servers);
  const std::map<uint32_t, std::shared_ptr<const LocalPart>>& parts() const { return parts_; }
  PartServiceStats stats() const {
    return {requests_.load(std::memory_order_relaxed), failures_.load(std::memory_order_relaxed),
            request_bytes_.load(std::memory_order_relaxed),
            reply_bytes_.load(std::memory_order_relaxed)};
  }

 private:
  PartService(std::shared_ptr<const Partition> partition, const PartServiceOptions& options);
  Status add_part(const std::shared_ptr<const Dataset>& dataset);
  Status add_arrays();

  Status check_graph(uint64_t graph) const;
  // An error: a served file was truncated.
  Status check_files() const;
  Result<const LocalPart*> find_part(uint32_t number) const;

  Result<net::Message> describe(cluster::Bytes request) const;
  Result<net::Message> array(cluster::Bytes request) const;
  Result<net::Message> hop(cluster::Bytes request);
  Result<net::Message> rows(cluster::Bytes request) const;
  Result<net::Message> edges(cluster::Bytes request) const;
  Result<net::Message> files(cluster::Bytes request) const;
  Result<net::Message> windows(cluster::Bytes request, const Share& share) const;
  void open_sampler(cluster::Bytes request, const Done& done);

  const std::shared_ptr<const Partition> partition_;
  const PartServiceOptions options_;
  uint64_t graph_ = 0;
  cluster::Pool pool_;
  cluster::Description description_;      // servers: under the mutex
  std::map<std::string, Tensor> arrays_;  // by their names in the partition
  std::map<uint32_t, std::shared_ptr<const LocalPart>> parts_;
  SamplerTable samplers_;
  std::atomic<uint64_t> requests_ = 0;
  std::atomic<uint64_t> failures_ = 0;
  std::atomic<uint64_t> request_bytes_ = 0;
  std::atomic<uint64_t> reply_bytes_ = 0;
  mutable std::mutex mutex_;
};

}  // namespace gls
