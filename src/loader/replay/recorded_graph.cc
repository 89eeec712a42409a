#include "loader/replay/recorded_graph.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/float_mode.h"
#include "feature/gather.h"
#include "graph/dataset/topology_query.h"
#include "loader/replay/hop_record.h"
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
      BufferPool& pool = *local->context()->buffers();
      const GatherOptions options = GatherOptions::from(*local->context());
      if (column.codebook != nullptr) {
        return gather_decoded(pool, column.data, *column.codebook, question.ids, options, rows,
                              memory);
      }
      return gather(pool, column.data, question.ids, question.dtype, options, rows, memory);
    };
  }

  Deferred<Tensor> ask_edges(const EdgeQuestion& question) const override {
    return [local = local_, question] { return answer(*local, question); };
  }

  const PartitionBook* book(bool, size_t) const override { return nullptr; }
  uint32_t parts() const override { return 1; }
  std::vector<uint32_t> local_parts() const override { return {0}; }

 private:
  static Result<Tensor> answer(const Dataset& local, const EdgeQuestion& question) {
    std::vector<int64_t> found;
    switch (question.what) {
      case EdgeQuestion::What::kDegrees: {
        GLS_ASSIGN(found, degrees(local, question.edge_type, question.layout, question.ids));
        break;
      }
      case EdgeQuestion::What::kEnds: {
        std::vector<int64_t> targets;
        GLS_TRY(edge_ends(local, question.edge_type, question.ids, "ids", &found, &targets));
        found.insert(found.end(), targets.begin(), targets.end());
        break;
      }
      case EdgeQuestion::What::kPairs: {
        GLS_ASSIGN(const std::vector<uint8_t> pairs,
                   has_edges(local, question.edge_type, question.ids, question.others));
        found.assign(pairs.begin(), pairs.end());
        break;
      }
    }
    auto owner = std::make_shared<std::vector<int64_t>>(std::move(found));
    const int64_t* const data = owner->data();
    const auto size = static_cast<int64_t>(owner->size());
    return Tensor(std::move(owner), data, kInt64, {size});
  }

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
