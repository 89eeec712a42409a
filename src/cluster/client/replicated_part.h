// Failover: one part of a graph with several servers, which may start and stop. One server is
// asked. When it fails, another one receives the same request, since all servers of a part give
// equal answers.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "cluster/client/replicas.h"
#include "context/context.h"

namespace gls {

class ReplicatedPart final : public Part, public std::enable_shared_from_this<ReplicatedPart> {
 public:
  // `timeout_ms` covers one request at all servers; negative: no limit. `nobody` is called whenever
  // all servers failed to answer; on any thread, often; may be empty.
  ReplicatedPart(std::shared_ptr<Context> context, std::shared_ptr<Replicas> replicas,
                 int64_t timeout_ms, std::function<void()> nobody = {});

  Result<std::shared_ptr<const PartSampler>> open_sampler(
      const SamplerOptions& options) const override;
  Deferred<Tensor> ask_rows(const RowQuestion& question) const override;
  Deferred<Done> ask_rows_to(const RowQuestion& question, const RowTarget& target) const override;
  Deferred<bool> land_rows(const RowQuestion& question, const RowLanding& landing) const override;
  Deferred<Tensor> ask_edges(const EdgeQuestion& question) const override;
  bool is_local() const override { return false; }

 private:
  friend class ReplicatedSampler;
  template <typename T>
  using Ask = std::function<Deferred<T>(const Replicas::One&)>;
  // `ask` sends the request to one of the servers.
  template <typename T>
  Deferred<T> ask_any(Ask<T> ask) const;
  template <typename T>
  Result<T> wait_for_any(const Ask<T>& ask, const cluster::Deadline& deadline,
                         const Replicas::One& first, Deferred<T> later) const;

  const std::shared_ptr<Context> context_;
  const std::shared_ptr<Replicas> replicas_;
  const int64_t timeout_ms_;
  const std::function<void()> nobody_;
};

}  // namespace gls
