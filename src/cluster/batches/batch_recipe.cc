#include "cluster/batches/batch_recipe.h"

#include <algorithm>
#include <utility>

namespace gls::cluster {
namespace {

// The number of described methods other than neighbour sampling.
int kinds_of(const SamplerOptions& options) {
  return options.walk.has_value() + options.importance.has_value() + options.ppr.has_value() +
         options.hgt.has_value();
}

// ---- at a server: types are numbers here, where the library itself takes names ----

class Checker {
 public:
  explicit Checker(const Dataset& dataset)
      : nodes_(dataset.node_types().size()), edges_(dataset.edge_types().size()) {}

  Status check(const BatchesRequest& request) const {
    const SamplerOptions& options = request.sampler;
    GLS_TRY(check_sampler(options));
    GLS_TRY(check_kind(options));
    GLS_TRY(in_range(request.seeds.type, request.seeds.links ? edges_ : nodes_, "seeds"));
    if (!request.seeds.anchor_labels.empty() &&
        request.seeds.anchor_labels.size() != options.supervisions.size()) {
      return bad("anchor_labels", "as many as supervisions were expected");
    }
    const bool by_cluster = request.rule.by == SeedsBy::kCluster;
    if (request.rule.clusters.defined() + !request.rule.cluster.empty() != (by_cluster ? 1 : 0)) {
      return bad("cluster", "it does not fit the rule of the seeds");
    }
    if (!request.id_set.empty() && (request.seeds.links || request.seeds.ids.defined())) {
      return bad("id_set", "the seeds are given, too");
    }
    for (const BatchesRequest::WantedColumn& column : request.columns) {
      GLS_TRY(in_range(column.type, column.of_nodes ? nodes_ : edges_, "columns"));
    }
    return {};
  }

 private:
  static Status bad(const char* argument, const char* what) {
    return invalid("{}: {}", argument, what).with("argument", argument);
  }

  static Status in_range(size_t type, size_t types, const char* argument) {
    if (type >= types) {
      return invalid("{}: type number {}, of {}", argument, type, types).with("argument", argument);
    }
    return {};
  }

  Status all_edges(const std::vector<size_t>& types, const char* argument) const {
    for (const size_t type : types) {
      GLS_TRY(in_range(type, edges_, argument));
    }
    return {};
  }

  Status check_sampler(const SamplerOptions& options) const {
    for (const EdgeSet& set : options.exclude) {
      GLS_TRY(in_range(set.edge_type, edges_, "exclude"));
      if (!set.edges.defined()) {
        return bad("exclude", "there are no edges");
      }
    }
    for (const auto& [one, other] : options.reverse_types) {
      GLS_TRY(all_edges({one, other}, "reverse_types"));
    }
    for (const Supervision& one : options.supervisions) {
      GLS_TRY(in_range(one.node_type, nodes_, "supervisions"));
      if (one.edge_type.has_value()) {
        GLS_TRY(in_range(*one.edge_type, edges_, "supervisions"));
      } else if (one.sampled || one.max_labels != 0) {
        return bad("supervisions", "labels that are given have none of the options of edge types");
      }
    }
    if (options.walk.has_value()) {
      GLS_TRY(all_edges(options.walk->path, "path"));
    }
    if (options.importance.has_value()) {
      GLS_TRY(all_edges(options.importance->path, "path"));
    }
    if (options.ppr.has_value()) {
      GLS_TRY(all_edges(options.ppr->edge_types, "edge_types"));
      for (const PprChannel& channel : options.ppr->channels) {
        GLS_TRY(all_edges(channel.edge_types, "channels"));
      }
    }
    return {};
  }

  // Checks the options that only neighbour sampling has.
  static Status check_kind(const SamplerOptions& options) {
    const int kinds = kinds_of(options);
    if (kinds == 0) {
      return {};
    }
    const bool reports_edges = options.walk.has_value() || options.hgt.has_value();
    const bool others =
        options.disjoint || options.toward_seeds || options.temporal() || options.exclude_links ||
        options.layer_dependent || options.batch_dependency != 0 || options.num_hops != 0 ||
        !options.fanouts.empty() || options.replace != Replace::kNever ||
        options.pick != Pick::kIndependent || !options.supervisions.empty() ||
        options.negatives.mode != NegativeMode::kNone ||
        options.subgraph == Subgraph::kBidirectional ||
        (!reports_edges && (options.edge_ids || options.subgraph != Subgraph::kSampled));
    return kinds == 1 && !others ? Status()
                                 : bad("kind", "options of several kinds of samplers were sent");
  }

  const size_t nodes_;
  const size_t edges_;
};

Result<std::vector<ColumnToGather>> find_columns(
    const Dataset& dataset, const std::vector<BatchesRequest::WantedColumn>& wanted,
    const Sampler& sampler) {
  ColumnChoice choice(sampler);
  for (const BatchesRequest::WantedColumn& one : wanted) {
    const std::string& type =
        one.of_nodes ? dataset.node_types()[one.type].name : dataset.edge_types()[one.type].joined;
    GLS_TRY(choice.add({type.c_str(), one.name,
                        one.seeds_only ? RowsToGather::kSeeds : RowsToGather::kAll, one.dtype}));
  }
  return choice.take();
}

// Each thread keeps such a table for each node type, for every loader in use.
constexpr uint64_t kMostTableByNode = uint64_t{16} << 20;

uint64_t id_bytes(const SamplerOptions& options) {
  return options.int32 ? sizeof(int32_t) : sizeof(int64_t);
}

// Bytes for each node that is found: its id and its scores.
uint64_t node_bytes(const SamplerOptions& options) {
  const size_t scores = options.ppr.has_value() ? 2 + 3 * options.ppr->channels.size() : 0;
  return id_bytes(options) + scores * sizeof(float);
}

double seeds_of(const Dataset& dataset, const BatchesRequest& request) {
  const Tensor& ids = request.seeds.ids;
  if (ids.defined()) {
    return static_cast<double>(ids.shape().size() == 2 ? ids.shape()[1] : ids.rows());
  }
  return static_cast<double>(request.seeds.links ? dataset.edge_types()[request.seeds.type].count
                                                 : dataset.node_types()[request.seeds.type].count);
}

// Bytes of the tables that such a loader builds, to draw or find seeds and to draw negatives.
uint64_t table_bytes(const Dataset& dataset, const BatchesRequest& request) {
  const auto count_of = [&](size_t type) {
    return static_cast<double>(dataset.node_types()[type].count);
  };
  const double seeds = seeds_of(dataset, request);
  const SeedRuleOptions& rule = request.rule;
  double numbers = 0;
  if (rule.by == SeedsBy::kDraw && (!rule.weight.empty() || rule.law != SeedWeighting::kUniform)) {
    numbers += seeds;
  } else if (rule.by == SeedsBy::kCluster) {
    numbers += seeds + (request.seeds.links ? 0 : count_of(request.seeds.type));
  }
  if (request.sampler.temporal() && !request.seeds.times.defined()) {
    numbers += seeds;
  }
  const NegativeOptions& negatives = request.sampler.negatives;
  if (request.seeds.links && negatives.mode != NegativeMode::kNone) {
    const EdgeType& type = dataset.edge_types()[request.seeds.type];
    const bool by_degree = negatives.degree_quarters != 0;
    numbers += by_degree || !negatives.target_weight.empty() ? count_of(type.target) : 0;
    numbers += by_degree || !negatives.source_weight.empty() ? count_of(type.source) : 0;
    if (negatives.in_time) {  // times and ids in their order
      numbers += 2 * (count_of(type.target) + count_of(type.source));
    }
  }
  return static_cast<uint64_t>(numbers * sizeof(int64_t));
}

// The least bytes of a full batch, in any graph. The result is infinite rather than an overflow.
double sure_bytes(const Loader& loader, const SeedList::Given& seeds) {
  const LoaderCounts counts = loader.counts();
  const SamplerOptions& options = loader.sampler()->options();
  if (counts.batches == 0 || loader.options().rule.by == SeedsBy::kCluster) {
    return 0;  // the number of nodes in clusters depends on the graph
  }
  const bool drawn = loader.options().rule.by == SeedsBy::kDraw;
  const auto inputs =
      static_cast<double>(drawn ? counts.batch_size : std::min(counts.batch_size, counts.seeds));
  double ids = 1;  // each input includes its own id
  double others = sizeof(int64_t);
  if (options.walk.has_value()) {
    const WalkPlan& plan = *loader.sampler()->walk_plan();
    ids += static_cast<double>(plan.walks) * (static_cast<double>(plan.length) + 1);
  }
  if (loader.of_links() && options.negatives.mode != NegativeMode::kNone) {
    ids += options.negatives.amount;
  }
  if (seeds.labels.defined()) {
    // Ids for each link and negative. Drawn links are copied first.
    const bool binary = options.negatives.mode == NegativeMode::kBinary;
    others += static_cast<double>(seeds.labels.row_bytes()) *
              (1.0 + (drawn ? 1.0 : 0.0) + (binary ? options.negatives.amount : 0.0));
  }
  for (const Supervision& one : options.supervisions) {
    ids += static_cast<double>(one.max_labels);
  }
  for (const Tensor& labels : seeds.anchor_labels) {
    ids += labels.defined() ? static_cast<double>(labels.shape()[1]) : 0;
  }
  return inputs * (others + ids * static_cast<double>(id_bytes(options)));
}

// Bytes that a thread needs to follow the walks from one node.
double walk_bytes(const Sampler& sampler) {
  if (!sampler.options().importance.has_value()) {
    return 0;
  }
  const WalkPlan& plan = *sampler.walk_plan();
  return static_cast<double>(plan.walks) * (static_cast<double>(plan.length) + 1) * sizeof(int64_t);
}

Status check_bounds(const Loader& loader, const SeedList::Given& seeds,
                    const LoaderBounds& bounds) {
  const double bytes = std::max(sure_bytes(loader, seeds), walk_bytes(*loader.sampler()));
  if (bytes <= static_cast<double>(bounds.batch_bytes)) {
    return {};
  }
  return error(GLS_ERR_UNSUPPORTED,
               "a full batch needs {:.0f} bytes before anything is sampled, the most that is sent "
               "is {}; make batches smaller, or make them where they are used",
               bytes, bounds.batch_bytes);
}

}  // namespace

Result<BatchesRequest> describe_batches(uint64_t graph, const BatchRecipe& recipe) {
  const auto& [sampler, seeds, rule, plan, columns, num_seeds, inputs] = recipe;
  static_cast<void>(num_seeds);  // these two follow from the other members
  static_cast<void>(inputs);
  const Dataset& dataset = *sampler.dataset();
  BatchesRequest out;
  out.graph = graph;
  out.sampler = sampler.options();
  if (!sampler.kept_exclude().has_value()) {
    return error(GLS_ERR_UNSUPPORTED,
                 "made_by: the sampler leaves out more edges than are sent to servers that make "
                 "batches")
        .with("argument", "made_by");
  }
  out.sampler.exclude = *sampler.kept_exclude();
  out.seeds = seeds;
  if (!seeds.links && seeds.ids.defined()) {
    // At a server, an id set has a name, too.
    for (const IdSet& set : dataset.node_types()[seeds.type].id_sets) {
      if (seeds.ids.data() == set.ids.data() && seeds.ids.shape() == set.ids.shape() &&
          seeds.ids.rows() > 0 && same_dtype(seeds.ids.dtype(), set.ids.dtype())) {
        out.id_set = set.name;
        out.seeds.ids = Tensor();
        break;
      }
    }
  }
  out.rule = rule;
  out.batch_size = plan.batch_size;
  out.shuffle = plan.shuffle;
  out.drop_last = plan.drop_last;
  for (const ColumnToGather& column : columns) {
    out.columns.push_back(
        {column.of_nodes, column.type, column.column->name, column.seeds_only, column.dtype});
  }
  return out;
}

Result<std::shared_ptr<const Loader>> make_loader(const std::shared_ptr<const Dataset>& dataset,
                                                  BatchesRequest request,
                                                  const LoaderBounds& bounds, uint64_t* tables) {
  GLS_TRY(Checker(*dataset).check(request));
  if (!request.id_set.empty()) {
    GLS_ASSIGN(request.seeds.ids,
               find_id_set(dataset->node_types()[request.seeds.type], request.id_set, "id_set"));
  }
  const uint64_t bytes = table_bytes(*dataset, request);
  if (bytes > bounds.table_bytes) {
    return error(GLS_ERR_UNSUPPORTED,
                 "what seeds or negatives are drawn by has {} bytes, this server takes {}; make "
                 "batches where they are used",
                 bytes, bounds.table_bytes);
  }
  SamplerOptions& sampling = request.sampler;
  if (sampling.subgraph == Subgraph::kInduced && sampling.num_hops == 0 &&
      kinds_of(sampling) == 0) {
    // Empty fanouts are not sent.
    sampling.fanouts.resize(dataset->edge_types().size());
  }
  // More nodes than this would exceed the limit of bytes.
  sampling.most.nodes = static_cast<int64_t>(std::min(bounds.batch_bytes / node_bytes(sampling),
                                                      static_cast<uint64_t>(sampling.most.nodes)));
  sampling.most.edges = static_cast<int64_t>(std::min(bounds.batch_bytes / id_bytes(sampling),
                                                      static_cast<uint64_t>(sampling.most.edges)));
  sampling.most.table_bytes = kMostTableByNode;
  GLS_ASSIGN(const std::shared_ptr<const Sampler> sampler,
             Sampler::create(dataset, std::move(request.sampler)));
  LoaderOptions options;
  if (request.seeds.links) {
    options.edge_type = request.seeds.type;
  } else {
    options.node_type = request.seeds.type;
  }
  GLS_ASSIGN(options.columns, find_columns(*dataset, request.columns, *sampler));
  options.rule = std::move(request.rule);
  options.plan.batch_size = request.batch_size;
  options.plan.shuffle = request.shuffle;
  options.plan.drop_last = request.drop_last;
  options.times = std::move(request.seeds.times);
  options.labels = request.seeds.labels;
  options.anchor_labels = request.seeds.anchor_labels;
  GLS_ASSIGN(std::shared_ptr<const Loader> loader,
             Loader::create(sampler, std::move(request.seeds.ids), std::move(options)));
  GLS_TRY(check_bounds(*loader, request.seeds, bounds));
  if (tables != nullptr) {
    *tables = bytes;
  }
  return loader;
}

}  // namespace gls::cluster
