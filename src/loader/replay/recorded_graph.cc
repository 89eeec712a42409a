#include "loader/replay/recorded_graph.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/float_mode.h"
#include "feature/gather_column.h"
#include "loader/replay/hop_record.h"
#include "query/answer_edges.h"
#include "query/graph_source.h"
#include "sample/answer_hop.h"

namespace gls {
namespace {

class RecordedHops final : public HopSource {
 public:
  RecordedHops(std::shared_ptr<const Sampler> sampler, uint64_t chunk_bytes)
      : hops_(std::make_shared<const LocalHops>(std::move(sampler), chunk_bytes)) {}

  Deferred<HopPicks> ask(const HopQuestion& question) const override {
    const bool chunked = question.edge_type < hops_->dataset().edge_types().size() &&
                         hops_->reads(question.edge_type) && question.nodes.size() > 0;
    Recording* const recording = Recording::current();
    if (recording != nullptr && chunked) {
      return recording->ask(*hops_, question);
    }
    return [hops = hops_, question] { return hops->answer(question); };
  }

 private:
  const std::shared_ptr<const LocalHops> hops_;
};

class RecordedSource final : public GraphSource {
 public:
  RecordedSource(std::shared_ptr<const Dataset> local, uint64_t chunk_bytes)
      : local_(std::move(local)), chunk_bytes_(chunk_bytes) {}

  Result<std::shared_ptr<const HopSource>> open_hops(const SamplerOptions& options) const override {
    const DefaultFloatMode float_mode;  // sets the rounding mode for sums of weights
    SamplerOptions hops = hop_options(options);
    hops.exclude = options.exclude;
    GLS_ASSIGN(std::shared_ptr<const Sampler> sampler, Sampler::create(local_, std::move(hops)));
    return std::shared_ptr<const HopSource>(
        std::make_shared<RecordedHops>(std::move(sampler), chunk_bytes_));
  }

  Deferred<Tensor> ask_rows(const RowQuestion& question, int64_t rows,
                            SharedBytes memory) const override {
    return [local = local_, question, rows, memory = std::move(memory)]() -> Result<Tensor> {
      const Column& column = question.of_nodes
                                 ? local->node_types()[question.type].columns[question.column]
                                 : local->edge_types()[question.type].columns[question.column];
      return gather_column(*local->context()->buffers(), column, question.ids, question.dtype,
                           GatherOptions::from(*local->context()), rows, memory);
    };
  }

  Deferred<Tensor> ask_edges(const EdgeQuestion& question) const override {
    return [local = local_, question] { return answer_edges(*local, question); };
  }

  const PartitionBook* book(bool, size_t) const override { return nullptr; }
  uint32_t parts() const override { return 1; }
  std::vector<uint32_t> local_parts() const override { return {0}; }

 private:
  const std::shared_ptr<const Dataset> local_;
  const uint64_t chunk_bytes_;
};

// Columns whose rows are asked for.
std::vector<Column> remote(const std::vector<Column>& columns) {
  std::vector<Column> out;
  out.reserve(columns.size());
  for (const Column& column : columns) {
    out.push_back(column.with(Tensor(nullptr, nullptr, column.data.dtype(), column.data.shape())));
  }
  return out;
}

}  // namespace

Result<std::shared_ptr<const Dataset>> recorded_graph(const std::shared_ptr<const Dataset>& local,
                                                      uint64_t chunk_bytes) {
  std::vector<NodeType> nodes = local->node_types();
  for (NodeType& type : nodes) {
    type.columns = remote(type.columns);
  }
  std::vector<EdgeType> edges = local->edge_types();
  for (EdgeType& type : edges) {
    type.columns = remote(type.columns);
    type.remote = RemoteLayouts{type.csc.has_value(), type.csr.has_value(), type.wide_indices()};
    type.csc.reset();
    type.csr.reset();
  }
  return Dataset::create(local->context(), std::move(nodes), std::move(edges), local->files(), {},
                         std::make_shared<RecordedSource>(local, chunk_bytes));
}

}  // namespace gls
