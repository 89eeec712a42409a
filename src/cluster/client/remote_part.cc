#include "cluster/client/remote_part.h"

#include <algorithm>
#include <utility>

#include "cluster/client/remote_rows.h"
#include "cluster/client/remote_sampler.h"
#include "cluster/discovery/graph_description.h"
#include "graph/topology/schema.h"

namespace gls {

RemotePart::RemotePart(std::shared_ptr<Context> context, std::shared_ptr<net::Peer> peer,
                       std::shared_ptr<const format::PartitionT> partition, uint32_t number,
                       const RemotePartOptions& options)
    : context_(std::move(context)),
      peer_(std::move(peer)),
      partition_(std::move(partition)),
      number_(number),
      graph_(cluster::graph_number(*partition_)),
      options_(options) {
  if (options.one_sided != net::OneSided::kOff && options.ranks != nullptr) {
    windows_ = std::make_shared<RemoteMemory>(context_, peer_, partition_, number_, graph_,
                                              options.ranks, options.one_sided);
  }
  const format::ManifestT& whole = *partition_->whole;
  const auto count_of = [&](const std::string& name) {
    const auto found = std::find_if(whole.node_types.begin(), whole.node_types.end(),
                                    [&](const auto& type) { return type->name == name; });
    return found != whole.node_types.end() ? (*found)->count : 0;
  };
  for (const auto& type : whole.edge_types) {
    edge_types_.push_back({EdgeTypeName{type->source, type->relation, type->target}.joined(),
                           count_of(type->source), count_of(type->target), type->count});
  }
}

Result<std::shared_ptr<const RemotePart>> RemotePart::create(
    std::shared_ptr<Context> context, std::shared_ptr<net::Peer> peer,
    std::shared_ptr<const format::PartitionT> partition, uint32_t number,
    const RemotePartOptions& options) {
  if (number >= partition->parts) {
    return invalid("part {}, of {}", number, partition->parts).with("argument", "part");
  }
  return std::shared_ptr<const RemotePart>(
      new RemotePart(std::move(context), std::move(peer), std::move(partition), number, options));
}

Status RemotePart::about(Status status, const std::string& what) const {
  Status out = std::move(status).prefixed(
      formatted("part {} at {}, asked for {}: ", number_, peer_->address(), what));
  if (out.detail("peer") == nullptr) {
    out = std::move(out).with("peer", peer_->address());
  }
  return std::move(out).with("part", std::to_string(number_));
}

Result<std::shared_ptr<const PartSampler>> RemotePart::open_sampler(
    const SamplerOptions& options) const {
  GLS_ASSIGN(auto out, RemoteSampler::prepare(shared_from_this(), options));
  GLS_TRY(out->open());
  return std::shared_ptr<const PartSampler>(std::move(out));
}

Deferred<Done> RemotePart::ask_rows_to(const RowQuestion& question, const RowTarget& target) const {
  return RemoteRows::ask_to(shared_from_this(), question, target);
}

Deferred<bool> RemotePart::land_rows(const RowQuestion& question, const RowLanding& landing) const {
  return RemoteRows::land(shared_from_this(), question, landing);
}

Deferred<Tensor> RemotePart::ask_rows(const RowQuestion& question) const {
  return RemoteRows::ask(shared_from_this(), question);
}

}  // namespace gls
