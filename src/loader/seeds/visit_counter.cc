#include "loader/seeds/visit_counter.h"

#include <algorithm>
#include <atomic>
#include <limits>
#include <utility>

#include "base/permutation.h"
#include "base/text.h"
#include "context/parallel.h"

namespace gls {
namespace {

using Counts = std::vector<std::vector<uint32_t>>;

// A batch counts a node once. Many small batches therefore distinguish nodes that a few large ones
// would all contain.
constexpr int64_t kSeedsOfBatch = 64;
// At least this many seeds are used; fewer seeds are repeated.
constexpr int64_t kLeastSeeds = 8192;
constexpr int64_t kMostOfAllNodes = int64_t{1} << 20;
constexpr size_t kBatchesAtOnce = 4;

SamplerOptions sampler_options(const Dataset& dataset, const VisitOptions& options) {
  const auto& types = dataset.edge_types();
  const auto has_csc = [](const EdgeType& type) { return type.stores(Layout::kCsc); };
  SamplerOptions out;
  out.direction =
      std::all_of(types.begin(), types.end(), has_csc) ? Direction::kIn : Direction::kOut;
  out.num_hops = options.fanouts.size();
  out.fanouts.assign(types.size(), options.fanouts);
  out.seed = options.seed;
  return out;
}

// Calls body(rank, id) for the ids that the part owns.
template <typename Body>
void each_own(int64_t count, const IdSpan* set, const PartitionBook& owners, uint32_t part,
              Body body) {
  int64_t rank = 0;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t id = set != nullptr ? (*set)[i] : i;
    if (owners[id] == part) {
      body(rank++, id);
    }
  }
}

// The seeds of a type in rounds: each round has all of them in another order, in batches.
struct Rounds {
  std::vector<int64_t> seeds;
  size_t batches = 0;  // in a round
  size_t rounds = 0;

  explicit Rounds(std::vector<int64_t> from) : seeds(std::move(from)) {
    const auto count = static_cast<int64_t>(seeds.size());
    batches = static_cast<size_t>((count + kSeedsOfBatch - 1) / kSeedsOfBatch);
    rounds = count == 0 ? 0 : static_cast<size_t>((kLeastSeeds + count - 1) / count);
  }
};

void add_nodes(const Batch& batch, Counts* counts) {
  for (size_t t = 0; t < counts->size(); ++t) {
    const Tensor& nodes = batch.nodes[t].node;
    const IdSpan ids(nodes.data(), same_dtype(nodes.dtype(), kInt64), nodes.rows());
    for (int64_t i = 0; i < ids.size(); ++i) {
      std::atomic_ref<uint32_t>((*counts)[t][static_cast<size_t>(ids[i])])
          .fetch_add(1, std::memory_order_relaxed);
    }
  }
}

}  // namespace

VisitCounter::VisitCounter(std::shared_ptr<const Dataset> dataset, VisitOptions options)
    : dataset_(std::move(dataset)), options_(std::move(options)) {}

Result<std::unique_ptr<VisitCounter>> VisitCounter::create(std::shared_ptr<const Dataset> dataset,
                                                           VisitOptions options) {
  if (options.max_seeds < 0) {
    return invalid("hot_max_seeds is {}, expected 0 or more", options.max_seeds)
        .with("argument", "hot_max_seeds");
  }
  for (size_t hop = 0; hop < options.fanouts.size(); ++hop) {
    if (options.fanouts[hop] < -1 || options.fanouts[hop] == 0) {
      return invalid("hot_fanouts: hop {} has {}, expected 1 or more, or -1 for all neighbours",
                     hop, options.fanouts[hop])
          .with("argument", "hot_fanouts");
    }
  }
  if (options.fanouts.empty()) {
    options.fanouts = {15, 10};
  }
  if (options.max_seeds == 0) {
    options.max_seeds =
        options.id_set.empty() ? kMostOfAllNodes : std::numeric_limits<int64_t>::max();
  }
  std::unique_ptr<VisitCounter> out(new VisitCounter(std::move(dataset), std::move(options)));
  auto sampler = Sampler::create(out->dataset_, sampler_options(*out->dataset_, out->options_));
  if (!sampler.ok()) {
    const Status& status = sampler.status();
    return error(status.code(), "hot rows by sampling: {}", status.message())
        .with("argument", "hot_fanouts");
  }
  out->sampler_ = *std::move(sampler);
  return out;
}

std::string VisitCounter::description() const {
  std::string out = formatted("set {} max {} seed {} fanouts", options_.id_set, options_.max_seeds,
                              options_.seed);
  for (const int64_t fanout : options_.fanouts) {
    out += formatted(" {}", fanout);
  }
  return out;
}

// In the order of the id set, or of ids.
std::vector<int64_t> VisitCounter::seeds_of(size_t type, const PartitionBook& owners,
                                            uint32_t part) const {
  const NodeType& node_type = dataset_->node_types()[type];
  IdSpan set;
  if (!options_.id_set.empty()) {
    const auto found = std::find_if(node_type.id_sets.begin(), node_type.id_sets.end(),
                                    [&](const auto& s) { return s.name == options_.id_set; });
    if (found == node_type.id_sets.end()) {
      return {};
    }
    set = IdSpan(found->ids.data(), same_dtype(found->ids.dtype(), kInt64), found->ids.rows());
  }
  const int64_t count = options_.id_set.empty() ? node_type.count : set.size();
  const IdSpan* const ids = options_.id_set.empty() ? nullptr : &set;
  int64_t own = 0;
  each_own(count, ids, owners, part, [&](int64_t, int64_t) { ++own; });
  const int64_t wanted = std::min(own, options_.max_seeds);
  std::vector<int64_t> out;
  out.reserve(static_cast<size_t>(wanted));
  if (wanted == own) {
    each_own(count, ids, owners, part, [&](int64_t, int64_t id) { out.push_back(id); });
    return out;
  }
  std::vector<int64_t> chosen(static_cast<size_t>(wanted));  // ranks among the part's own ids
  const KeyedPermutation order(static_cast<uint64_t>(own), order_key(options_.seed, UINT64_MAX));
  for (size_t i = 0; i < chosen.size(); ++i) {
    chosen[i] = static_cast<int64_t>(order(i));
  }
  std::sort(chosen.begin(), chosen.end());
  each_own(count, ids, owners, part, [&](int64_t rank, int64_t id) {
    if (out.size() < chosen.size() && chosen[out.size()] == rank) {
      out.push_back(id);
    }
  });
  return out;
}

Result<Counts> VisitCounter::count(const std::vector<PartitionBook>& owners, uint32_t part,
                                   const Progress& progress) const {
  const auto& types = dataset_->node_types();
  Counts out;
  out.reserve(types.size());
  for (const NodeType& type : types) {
    out.emplace_back(static_cast<size_t>(type.count));
  }
  for (size_t t = 0; t < types.size(); ++t) {
    const Rounds work(seeds_of(t, owners[t], part));
    std::atomic<size_t> done{0};
    const size_t all = work.batches * work.rounds;
    const auto sample = [&](size_t number) -> Status {
      SampleRequest request;
      request.epoch = number / work.batches;
      request.batch = number % work.batches;
      const uint64_t count = work.seeds.size();
      const uint64_t begin = request.batch * uint64_t{kSeedsOfBatch};
      const KeyedPermutation order(count, order_key(options_.seed, request.epoch));
      std::vector<int64_t> seeds;
      for (uint64_t i = begin; i < std::min(begin + uint64_t{kSeedsOfBatch}, count); ++i) {
        seeds.push_back(work.seeds[order(i)]);
      }
      request.seeds = {{t, IdSpan(seeds.data(), true, static_cast<int64_t>(seeds.size())), {}}};
      GLS_ASSIGN(const auto batch, sampler_->sample(request));
      add_nodes(*batch, &out);
      done.fetch_add(1, std::memory_order_relaxed);
      return {};
    };
    const auto some = [&](size_t begin, size_t end) -> Status {
      for (size_t number = begin; number < end; ++number) {
        GLS_TRY(sample(number));
      }
      return {};
    };
    const auto tick = [&] {
      return report(progress, "counting what is asked for", done, all, "batches");
    };
    GLS_TRY(parallel_try(dataset_->context()->pool(), all, kBatchesAtOnce, some, tick));
  }
  return out;
}

}  // namespace gls
