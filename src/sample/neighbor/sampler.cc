#include "sample/neighbor/sampler.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "base/float_mode.h"
#include "graph/dataset/unknown_name.h"
#include "sample/neighbor/anchors.h"
#include "sample/neighbor/batch_worker.h"
#include "sample/neighbor/hgt_batch.h"
#include "sample/neighbor/importance_batch.h"
#include "sample/neighbor/walk_batch.h"
#include "sample/pick/weight_table.h"
#include "sample/search/importance.h"

namespace gls {
namespace {

constexpr int64_t kMaxFanout = int64_t{1} << 28;

}  // namespace

Sampler::Sampler(std::shared_ptr<const Dataset> dataset, SamplerOptions options,
                 const kernels::Table* table)
    : dataset_(std::move(dataset)), options_(std::move(options)) {
  excludes_ = !options_.exclude.empty();
  num_hops_ = options_.num_hops;
  names_excluded_ = !options_.exclude.empty();
  options_.disjoint |= options_.temporal();  // each seed has its own time, so its own tree
  const Context& context = *dataset_->context();
  layout_ = options_.direction == Direction::kIn ? Layout::kCsc : Layout::kCsr;
  kernels_ = table != nullptr ? table : &kernels::table_for(static_cast<int>(context.simd()));
  direct_limit_ =
      std::min(context.settings().bytes(Setting::kSampleDirectTable), options_.most.table_bytes);
}

Sampler::~Sampler() = default;

Result<std::shared_ptr<const Sampler>> Sampler::create(std::shared_ptr<const Dataset> dataset,
                                                       SamplerOptions options,
                                                       const kernels::Table* table) {
  std::shared_ptr<Sampler> sampler(new Sampler(std::move(dataset), std::move(options), table));
  return sampler->dataset_->source() != nullptr ? create_elsewhere(std::move(sampler))
                                                : create_here(std::move(sampler));
}

Result<std::shared_ptr<const Sampler>> Sampler::create_here(std::shared_ptr<Sampler> sampler) {
  const SamplerOptions& options = sampler->options_;
  if (options.walk.has_value() || options.importance.has_value() || options.ppr.has_value() ||
      options.hgt.has_value()) {
    sampler->num_hops_ = 0;  // these methods have no fanouts, and define their own hops
  }
  if (sampler->options_.walk.has_value()) {
    GLS_ASSIGN(sampler->walk_plan_,
               plan_walks(*sampler->dataset_, sampler->options_, *sampler->options_.walk));
    if (sampler->options_.subgraph == Subgraph::kInduced) {
      for (const EdgeType& type : sampler->dataset_->edge_types()) {
        GLS_TRY(sampler->check_layout(type));
      }
    }
  } else if (sampler->options_.importance.has_value()) {
    GLS_ASSIGN(sampler->walk_plan_, plan_importance(*sampler->dataset_, sampler->options_));
    sampler->num_hops_ = sampler->options_.importance->hops;
  } else if (sampler->options_.ppr.has_value()) {
    GLS_ASSIGN(sampler->ppr_plan_, plan_ppr(*sampler->dataset_, sampler->options_));
  } else if (sampler->options_.hgt.has_value()) {
    GLS_ASSIGN(sampler->hgt_plan_, plan_hgt(*sampler->dataset_, sampler->options_));
  } else {
    GLS_TRY(sampler->check_options());
  }
  if (sampler->asked_for_ == nullptr) {  // otherwise that sampler has checked them
    GLS_TRY(check_supervisions(*sampler->dataset_, sampler->options_));
    GLS_TRY(sampler->check_reverse());
    GLS_TRY(check_times(*sampler->dataset_, sampler->options_));
  }
  GLS_TRY(sampler->check_ids());
  GLS_ASSIGN(sampler->times_,
             make_time_rules(*sampler->dataset_, sampler->options_, *sampler->kernels_));
  GLS_TRY(sampler->find_weights());
  GLS_ASSIGN(sampler->excluded_,
             find_excluded(*sampler->dataset_, sampler->options_, sampler->options_.exclude));
  sampler->options_.exclude.clear();  // only borrowed
  return std::shared_ptr<const Sampler>(std::move(sampler));
}

Status Sampler::find_weights() {
  const uint64_t most_bytes = dataset_->context()->settings().bytes(Setting::kSampleWeightTables);
  for (size_t t = 0; t < dataset_->edge_types().size(); ++t) {
    const EdgeType& type = dataset_->edge_types()[t];
    const Column* column = options_.weight.empty() ? nullptr : type.find_column(options_.weight);
    Weights weights;
    if (column != nullptr) {
      weights.column = column->data;
      const std::optional<Topology>& rows = type.topology(layout_);
      weights.by_position = rows && rows->index != nullptr;
      if (draws_by_weight(t) && most_bytes > 0 && !times_[t].active() && !weights.by_position) {
        GLS_ASSIGN(weights.table, WeightTable::of(*dataset_, t, layout_, *column, most_bytes));
      }
    }
    weights_.push_back(std::move(weights));
  }
  return {};
}

// Rows that depend on a time are always read, and so are those of LABOR.
bool Sampler::draws_by_weight(size_t edge_type) const {
  if (walk_plan_.has_value()) {
    const auto walked = [&](const WalkStep& step) { return step.edge_type == edge_type; };
    return std::any_of(walk_plan_->path.begin(), walk_plan_->path.end(), walked);
  }
  const std::vector<int64_t>& fanouts = options_.fanouts[edge_type];
  return !ppr_plan_.has_value() && options_.pick == Pick::kIndependent &&
         std::any_of(fanouts.begin(), fanouts.end(), [](int64_t fanout) { return fanout != 0; });
}

Status Sampler::check_layout(const EdgeType& type) const {
  if (type.stores(layout_)) {
    return {};
  }
  return error(GLS_ERR_UNSUPPORTED,
               "direction \"{}\" needs the {} of edge type \"{}\", which is not stored; import "
               "the dataset with that layout",
               options_.direction == Direction::kIn ? "in" : "out",
               layout_ == Layout::kCsc ? "csc" : "csr", type.joined)
      .with("argument", "direction");
}

Status Sampler::check_options() const {
  const std::vector<EdgeType>& types = dataset_->edge_types();
  const bool weighted = !options_.weight.empty();
  bool has_weights = false;
  const bool induced = options_.subgraph == Subgraph::kInduced;
  const std::vector<bool> followed = followed_types(*dataset_, options_);
  if ((num_hops_ == 0 && !induced) || num_hops_ > kMaxHops) {
    return invalid("fanouts: {} hops, expected 1 to {}", num_hops_, kMaxHops)
        .with("argument", "fanouts");
  }
  for (size_t t = 0; t < types.size(); ++t) {
    const EdgeType& type = types[t];
    if (t >= options_.fanouts.size() || options_.fanouts[t].size() != num_hops_) {
      return invalid("fanouts: not {} hops for edge type \"{}\"", num_hops_, type.joined)
          .with("argument", "fanouts");
    }
    bool used = induced && followed[t];
    for (const int64_t fanout : options_.fanouts[t]) {
      if (fanout < -1 || fanout > kMaxFanout) {
        return invalid("fanouts: {} for edge type \"{}\", expected -1 to {}", fanout, type.joined,
                       kMaxFanout)
            .with("argument", "fanouts");
      }
      used |= fanout != 0;
    }
    if (used && !followed[t]) {
      return invalid(
                 "fanouts: edge type \"{}\" is a supervision, which is not sampled; expected 0, or "
                 "GLS_SUPERVISION_SAMPLED",
                 type.joined)
          .with("argument", "fanouts");
    }
    if (used) {
      GLS_TRY(check_layout(type));
    }
    if (const Column* column = weighted ? type.find_column(options_.weight) : nullptr) {
      has_weights = true;
      if (column->data.shape().size() != 1) {
        return invalid("weight: column \"{}\" of \"{}\" has shape {}, expected one number per edge",
                       column->name, type.joined, shape_text(column->data.shape()))
            .with("argument", "weight")
            .with("column", column->name)
            .with("type", type.joined);
      }
      if (column->here()) {
        GLS_TRY(need_all_rows(*column, type.count, type.joined, "weight"));
      }
    }
  }
  if (num_hops_ == 0 && (weighted || options_.replace != Replace::kNever)) {
    const char* const argument = weighted ? "weight" : "replace";
    return invalid("{} is set, but there are no fanouts, so no neighbours are picked", argument)
        .with("argument", argument);
  }
  if (weighted && !has_weights) {
    return no_edge_column("weight", *dataset_, options_.weight);
  }
  GLS_TRY(check_pick());
  return check_negatives();
}

Status Sampler::check_pick() const {
  const auto bad = [](const char* argument, std::string_view what) {
    return invalid("{}: {}", argument, what).with("argument", argument);
  };
  if (options_.pick == Pick::kLayer) {
    if (options_.replace != Replace::kNever) {
      return bad("pick", "by layer neighbours are distinct, so replacement has no meaning");
    }
    if (options_.time_strategy == TimeStrategy::kLast) {
      return bad("pick", "by layer, but time_strategy takes the last; expected one of the two");
    }
    return {};
  }
  if (options_.batch_dependency != 0) {
    return bad("batch_dependency", "neighbours are picked independently, so batches are, too");
  }
  if (options_.layer_dependent) {
    return invalid(
               "GLS_SAMPLE_LAYER_DEPENDENT is set, but neighbours are picked independently, so "
               "hops "
               "are, too")
        .with("argument", "flags");
  }
  return {};
}

Status Sampler::check_ids() const {
  if (options_.int32) {
    constexpr int64_t kMaxInt32 = 0x7fffffff;
    for (const NodeType& type : dataset_->node_types()) {
      if (type.count > kMaxInt32) {
        return invalid("GLS_SAMPLE_INT32 is set, but node type \"{}\" has {} nodes", type.name,
                       type.count)
            .with("argument", "flags");
      }
    }
  }
  return {};
}

Status Sampler::check_negatives() const {
  const NegativeOptions& options = options_.negatives;
  if (options.mode == NegativeMode::kNone) {
    return {};
  }
  constexpr double kMost = 1 << 20;
  const bool whole = options.amount == std::floor(options.amount);
  const bool triplet = options.mode == NegativeMode::kTriplet;
  if (!(options.amount > 0) || options.amount > kMost || (triplet && !whole)) {
    return invalid("amount is {}, expected {} to {}", options.amount,
                   triplet ? "a whole number from 1" : "more than 0, up", kMost)
        .with("argument", "amount");
  }
  constexpr uint32_t kMostQuarters = 8;
  if (options.degree_quarters > kMostQuarters) {
    return invalid("degree_power is {}, expected a multiple of 0.25 from 0 to 2",
                   static_cast<double>(options.degree_quarters) / 4)
        .with("argument", "degree_power");
  }
  constexpr uint32_t kMostTries = 1 << 11;
  if (options.tries == 0 || options.tries > kMostTries) {
    return invalid("tries is {}, expected 1 to {}", options.tries, kMostTries)
        .with("argument", "tries");
  }
  if (options.oldest && !options.in_time) {
    return invalid("GLS_NEGATIVE_OLDEST is set without GLS_NEGATIVE_IN_TIME")
        .with("argument", "flags");
  }
  if (options.in_time && options_.node_time.empty()) {
    return invalid("GLS_NEGATIVE_IN_TIME is set, but there is no node_time")
        .with("argument", "flags");
  }
  if (triplet && !options.source_weight.empty()) {
    return invalid("source_weight: triplets keep the source, so only targets are drawn")
        .with("argument", "source_weight");
  }
  if (options.degree_quarters > 0 &&
      !(options.source_weight.empty() && options.target_weight.empty())) {
    return invalid("degree_power is given and a column of weights, too; expected one of the two")
        .with("argument", "degree_power");
  }
  return {};
}

Result<std::shared_ptr<const NegativeSampler>> Sampler::negatives(size_t edge_type) const {
  if (asked_for_ != nullptr) {
    return asked_for_->negatives(edge_type);
  }
  const DefaultFloatMode float_mode;  // sums are part of the contract, for every calling thread
  const std::lock_guard lock(negatives_mutex_);
  negatives_.resize(dataset_->edge_types().size());
  if (negatives_[edge_type] == nullptr) {
    GLS_ASSIGN(negatives_[edge_type],
               NegativeSampler::create(dataset_, edge_type, options_.negatives,
                                       {options_.node_time, options_.time_strict}));
  }
  return negatives_[edge_type];
}

Status Sampler::check_reverse() const {
  const std::vector<EdgeType>& types = dataset_->edge_types();
  if (options_.exclude_mode == ExcludeMode::kReverseId) {
    bool found = false;
    for (const EdgeType& type : types) {
      const Column* column = type.find_column(options_.reverse_column);
      if (column == nullptr) {
        continue;
      }
      found = true;
      if (!same_dtype(column->data.dtype(), kInt64) || column->data.shape().size() != 1 ||
          !column->data.contiguous()) {
        return invalid("reverse_column: column \"{}\" of \"{}\" is {} {}, expected int64 [edges]",
                       column->name, type.joined, dtype_name(column->data.dtype()),
                       shape_text(column->data.shape()))
            .with("argument", "reverse_column")
            .with("column", column->name)
            .with("type", type.joined);
      }
      if (column->here()) {
        GLS_TRY(need_all_rows(*column, type.count, type.joined, "reverse_column"));
      }
    }
    if (!found) {
      return no_edge_column("reverse_column", *dataset_, options_.reverse_column);
    }
  }
  for (const auto& [one, other] : options_.reverse_types) {
    if (types[one].count != types[other].count) {
      return invalid("reverse_types: \"{}\" has {} edges and \"{}\" has {}, expected as many",
                     types[one].joined, types[one].count, types[other].joined, types[other].count)
          .with("argument", "reverse_types");
    }
    if (!types[other].stores(layout_) || !types[one].stores(layout_)) {
      return error(GLS_ERR_UNSUPPORTED, "reverse_types: \"{}\" and \"{}\" need the {} layout",
                   types[one].joined, types[other].joined, layout_ == Layout::kCsc ? "csc" : "csr")
          .with("argument", "reverse_types");
    }
    const bool opposite =
        types[one].source == types[other].target && types[one].target == types[other].source;
    if (options_.subgraph == Subgraph::kBidirectional && !opposite) {
      return invalid("reverse_types: \"{}\" and \"{}\" do not join the same types of nodes",
                     types[one].joined, types[other].joined)
          .with("argument", "reverse_types");
    }
  }
  return {};
}

std::unique_ptr<SamplerScratch> Sampler::borrow_scratch() const {
  {
    const std::lock_guard lock(scratch_mutex_);
    if (!scratch_.empty()) {
      auto scratch = std::move(scratch_.back());
      scratch_.pop_back();
      return scratch;
    }
  }
  return std::make_unique<SamplerScratch>(*dataset_);
}

void Sampler::return_scratch(std::unique_ptr<SamplerScratch> scratch) const {
  const std::lock_guard lock(scratch_mutex_);
  scratch_.push_back(std::move(scratch));
}

void Sampler::trim() const {
  std::vector<std::unique_ptr<SamplerScratch>> gone;
  const std::lock_guard lock(scratch_mutex_);
  gone.swap(scratch_);
}

Result<std::shared_ptr<Batch>> Sampler::sample(const SampleRequest& request) const {
  if (dataset_->source() == nullptr) {
    return sample_prepared(request);
  }
  GLS_ASSIGN(const SampleRequest prepared, ask_first(request));
  return row_source_ != nullptr ? sample_by_rows(prepared) : sample_prepared(prepared);
}

Result<std::shared_ptr<Batch>> Sampler::sample_prepared(const SampleRequest& request) const {
  std::optional<DefaultFloatMode> float_mode;  // some hundred instructions, for weights only
  if (!options_.weight.empty() || !request.links.empty() || walk_plan_.has_value() ||
      ppr_plan_.has_value() || hgt_plan_.has_value()) {
    float_mode.emplace();
  }
  if (options_.supervisions.empty()) {
    GLS_TRY(check_given_labels(options_, request.labels, 0, "labels"));
  }
  std::unique_ptr<SamplerScratch> scratch = borrow_scratch();
  const auto make = [&]() -> Result<std::shared_ptr<Batch>> {
    if (options_.importance.has_value() || ppr_plan_.has_value()) {
      return ImportanceBatch(*this, *scratch, request).run();
    }
    if (walk_plan_.has_value()) {
      return WalkBatch(*this, *scratch, request).run();
    }
    if (hgt_plan_.has_value()) {
      return HgtBatch(*this, *scratch, request).run();
    }
    return BatchWorker(*this, *scratch, request).run();
  };
  Result<std::shared_ptr<Batch>> batch = make();
  return_scratch(std::move(scratch));
  GLS_TRY(dataset_->check_files());  // may also cause other errors
  return batch;
}

}  // namespace gls
