// Parts of a graph that servers have, and the endpoint that these are reached from.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <utility>

#include "cluster/parts_source.h"
#include "cluster/served_part.h"
#include "cluster/server_search.h"
#include "net/endpoint.h"

namespace gls {

struct ServedPartsOptions {
  bool same_host = false;  // whether parts of servers on this host are mapped from their files
  ServedPartOptions part;
};

// Each by whom it is best asked of: its files, where a server gives them, its server, or several.
Result<std::map<uint32_t, std::shared_ptr<const Part>>> served_parts(
    const std::shared_ptr<Context>& context, const ServerSearch::Owners& owners,
    const std::shared_ptr<const Partition>& partition,
    const std::shared_ptr<const format::PartitionT>& described, const ServedPartsOptions& options,
    const cluster::Deadline& deadline);

// Asks parts, and keeps the endpoint that they are reached from.
class EndpointSource : public GraphSource {
 public:
  EndpointSource(std::shared_ptr<net::Endpoint> endpoint, std::unique_ptr<const PartsSource> parts)
      : endpoint_(std::move(endpoint)), parts_(std::move(parts)) {}

  Result<std::shared_ptr<const HopSource>> open_hops(const SamplerOptions& options) const override {
    return parts_->open_hops(options);
  }
  Later<Tensor> ask_rows(const RowQuestion& question, int64_t rows,
                         SharedBytes memory) const override {
    return parts_->ask_rows(question, rows, std::move(memory));
  }
  Later<Tensor> ask_edges(const EdgeQuestion& question) const override {
    return parts_->ask_edges(question);
  }
  const Book* book(bool of_nodes, size_t type) const override {
    return parts_->book(of_nodes, type);
  }

 private:
  const std::shared_ptr<net::Endpoint> endpoint_;  // outlives those who ask
  const std::unique_ptr<const PartsSource> parts_;
};

}  // namespace gls
