#include "sample/remote/fetched_rows_method.h"

#include <utility>
#include <vector>

#include "query/graph_query.h"
#include "sample/pick/excluded_edges.h"
#include "sample/plan/make_plan.h"
#include "sample/remote/fetched_graph.h"

namespace gls {
namespace {

// Converts links given by id to pairs of ends, because fetched rows do not hold the ids.
Result<LinkSet> by_ends(const Dataset& dataset, const LinkSet& links) {
  LinkSet out = links;
  if (links.links.shape().size() != 1) {
    return out;
  }
  GLS_ASSIGN(const IdSpan ids, IdSpan::of(links.links, "links"));
  std::vector<int64_t> targets;
  auto ends = std::make_shared<std::vector<int64_t>>();
  GLS_TRY(find_edge_ends(dataset, links.edge_type, ids, "links", ends.get(), &targets));
  ends->insert(ends->end(), targets.begin(), targets.end());
  const int64_t* const data = ends->data();
  out.links = Tensor(std::move(ends), data, kInt64, {2, ids.size()});
  return out;
}

}  // namespace

Result<std::shared_ptr<const SamplerPlan>> plan_fetched_rows(SamplerPlan::Fields fields) {
  FetchedGraph none({*fields.dataset, fields.options, nullptr, fields.layout, 0, 0, {}});
  GLS_ASSIGN(fields.planned, none.dataset());
  GLS_ASSIGN(const auto empty, plan_fetched(fields, fields.planned));
  fields.walk = empty->walk_plan();
  fields.ppr = empty->ppr_plan();
  fields.hgt = empty->hgt_plan();
  return std::make_shared<const SamplerPlan>(std::move(fields));
}

FetchedRowsMethod::FetchedRowsMethod(std::shared_ptr<const SamplerPlan> plan,
                                     std::shared_ptr<const HopSource> rows)
    : SamplingMethod(std::move(plan)), rows_(std::move(rows)) {}

// A batch is a function of the rows that it reads. It is made from the fetched rows, as if all
// other rows were empty. If it read a missing row, that is fetched, and the batch is made again.
Result<std::shared_ptr<Batch>> FetchedRowsMethod::sample(const SampleRequest& request,
                                                         SamplerScratch& scratch) const {
  const std::shared_ptr<const Dataset>& dataset = plan().dataset();
  const SamplerOptions& options = plan().options();
  for (const EdgeSet& set : request.exclude) {
    GLS_TRY(check_edge_set(*dataset, set));
  }
  SampleRequest local = request;
  local.exclude.clear();
  std::vector<EdgeSet> exclude = request.exclude;
  for (LinkSet& set : local.links) {
    const EdgeSet links = {set.edge_type, set.links};
    if (options.exclude_links && check_edge_set(*dataset, links).ok()) {
      exclude.push_back(links);
    }
    GLS_ASSIGN(set, by_ends(*dataset, set));
  }
  FetchedGraph graph({*dataset, options, rows_.get(), plan().layout(), request.epoch, request.batch,
                      std::move(exclude)});
  for (;;) {
    GLS_ASSIGN(auto rows, graph.dataset());
    GLS_ASSIGN(auto fetched, plan_fetched(plan().fields(), std::move(rows)));
    const auto method = make_method(std::move(fetched));
    Result<std::shared_ptr<Batch>> batch = method->sample(local, scratch);
    if (graph.complete()) {
      if (batch.ok()) {
        (*batch)->dataset = dataset;
      }
      return batch;
    }
    if (!batch.ok() && batch.status().code() == GLS_ERR_OUT_OF_MEMORY) {
      return batch;
    }
    GLS_TRY(graph.fetch());
  }
}

}  // namespace gls
