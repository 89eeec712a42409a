/** @file gls_swig_sample.hpp
 *  Part of gls_swig.hpp: samplers and batches.
 */
#ifndef GLS_SWIG_SAMPLE_HPP
#define GLS_SWIG_SAMPLE_HPP

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gls_swig_dataset.hpp"

namespace gls::facade {

#ifndef SWIG
/** Named sets of edges, kept with their tensors. */
class EdgeSets {
 public:
  void add(const char* edge_type, const Tensor* edges) {
    sets_.push_back({text_or_empty(edge_type), *edges});
  }
  /** Valid until this is changed. */
  std::vector<gls_edge_set_t> view() const {
    std::vector<gls_edge_set_t> out;
    for (const auto& [type, edges] : sets_) {
      out.push_back({null_if_empty(type), &edges.view()});
    }
    return out;
  }

 private:
  std::vector<std::pair<std::string, Tensor>> sets_;
};
#endif

/** What is drawn for links that are seeds. */
class NegativeOptions {
 public:
  NegativeOptions() = default;
  void set_mode(int32_t mode) { options_.mode = mode; }
  void set_flags(uint32_t flags) { options_.flags = flags; }
  void set_amount(double amount) { options_.amount = amount; }
  void set_degree_power(double power) { options_.degree_power = power; }
  /** Node columns; NULL: none. */
  void set_weights(const char* source, const char* target) {
    source_weight_ = text_or_empty(source);
    target_weight_ = text_or_empty(target);
  }
  void set_tries(uint32_t tries) { options_.tries = tries; }

#ifndef SWIG
  /** Valid while this is. */
  gls_negative_options_t view() const {
    gls_negative_options_t out = options_;
    out.source_weight = null_if_empty(source_weight_);
    out.target_weight = null_if_empty(target_weight_);
    return out;
  }
#endif

 private:
  gls_negative_options_t options_ = GLS_NEGATIVE_OPTIONS_INIT;
  std::string source_weight_;
  std::string target_weight_;
};

/** Random walks instead of neighbourhoods. */
class WalkOptions {
 public:
  WalkOptions() = default;
  void set_length(uint32_t steps) { options_.length = steps; }
  void set_walks(uint32_t walks) { options_.walks = walks; }
  /** node2vec's p and q. */
  void set_biases(double p, double q) {
    options_.p = p;
    options_.q = q;
  }
  void set_restart(double probability) { options_.restart = probability; }
  void set_stop(double probability) { options_.stop = probability; }
  /** One more edge type of the path. */
  void add_path(const char* edge_type) { path_.push_back(text_or_empty(edge_type)); }

#ifndef SWIG
  const std::vector<std::string>& path() const { return path_; }
  /** Without the path. */
  gls_walk_options_t plain() const { return options_; }
#endif

 private:
  gls_walk_options_t options_ = GLS_WALK_OPTIONS_INIT;
  std::vector<std::string> path_;
};

/** The nodes that random walks visit most. */
class ImportanceOptions {
 public:
  ImportanceOptions() = default;
  void set_neighbors(uint32_t neighbors) { options_.neighbors = neighbors; }
  /** @param walks       from each node; 0: the default
   *  @param traversals  of the path, by each walk; 0: the default */
  void set_walks(uint32_t walks, uint32_t traversals) {
    options_.walks = walks;
    options_.traversals = traversals;
  }
  void set_hops(uint32_t hops) { options_.hops = hops; }
  void set_stop(double probability) { options_.stop = probability; }
  /** One more edge type of the path. */
  void add_path(const char* edge_type) { path_.push_back(text_or_empty(edge_type)); }

#ifndef SWIG
  const std::vector<std::string>& path() const { return path_; }
  /** Without the path. */
  gls_importance_options_t plain() const { return options_; }
#endif

 private:
  gls_importance_options_t options_ = GLS_IMPORTANCE_OPTIONS_INIT;
  std::vector<std::string> path_;
};

/** Personalised PageRank. */
class PprOptions {
 public:
  PprOptions() = default;
  void set_neighbors(uint32_t neighbors) { options_.neighbors = neighbors; }
  void set_flags(uint32_t flags) { options_.flags = flags; }
  void set_alpha(double alpha) { options_.alpha = alpha; }
  void set_epsilon(double epsilon) { options_.epsilon = epsilon; }
  void set_max_edges(uint64_t edges) { options_.max_edges = edges; }
  void set_row_limit(uint32_t edges) { options_.row_limit = edges; }
  /** One more edge type to push along; without any, all. */
  void add_edge_type(const char* edge_type) { edge_types_.push_back(text_or_empty(edge_type)); }
  /** Begins a channel. */
  void add_channel(double share) { channels_.emplace_back(share, std::vector<std::string>()); }
  /** One more edge type of the channel begun last. */
  void add_channel_type(const char* edge_type) {
    channels_.at(channels_.size() - 1).second.push_back(text_or_empty(edge_type));
  }

#ifndef SWIG
  /** The options, which are valid as long as this is. */
  class View {
   public:
    explicit View(const PprOptions& from) : options_(from.options_), edge_types_(from.edge_types_) {
      edge_types_.put(&options_.edge_types, &options_.num_edge_types);
      for (const auto& [share, types] : from.channels_) {
        gls_ppr_channel_t& channel = channels_.emplace_back();
        channel.share = share;
        channel_types_.emplace_back(types).put(&channel.edge_types, &channel.num_edge_types);
      }
      options_.channels = channels_.data();
      options_.num_channels = channels_.size();
    }
    View(const View&) = delete;
    View& operator=(const View&) = delete;
    const gls_ppr_options_t* get() const { return &options_; }

   private:
    struct Names {
      explicit Names(const std::vector<std::string>& from) {
        for (const std::string& name : from) {
          names.push_back(name.c_str());
        }
      }
      void put(const char* const** out, size_t* count) const {
        *out = names.data();
        *count = names.size();
      }
      std::vector<const char*> names;
    };
    gls_ppr_options_t options_;
    Names edge_types_;
    std::vector<gls_ppr_channel_t> channels_;
    std::vector<Names> channel_types_;
  };
#endif

 private:
  gls_ppr_options_t options_ = GLS_PPR_OPTIONS_INIT;
  std::vector<std::string> edge_types_;
  std::vector<std::pair<double, std::vector<std::string>>> channels_;
};

/** Nodes drawn from budgets. */
class HgtOptions {
 public:
  HgtOptions() = default;
  /** Begins the numbers of a node type; NULL: of all that have none of their own. */
  void add_samples(const char* node_type) {
    samples_.emplace_back(text_or_empty(node_type), std::vector<int64_t>());
  }
  /** One more hop of the numbers begun last. */
  void add_hop(int64_t nodes) { samples_.at(samples_.size() - 1).second.push_back(nodes); }
  /** 0: the default. */
  void set_most_neighbors(uint32_t neighbors) { most_neighbors_ = neighbors; }

#ifndef SWIG
  /** Views this. */
  std::vector<gls_node_samples_t> samples() const {
    std::vector<gls_node_samples_t> out;
    for (const auto& [type, per_hop] : samples_) {
      out.push_back({null_if_empty(type), per_hop.data(), per_hop.size()});
    }
    return out;
  }
  uint32_t most_neighbors() const { return most_neighbors_; }
#endif

 private:
  std::vector<std::pair<std::string, std::vector<int64_t>>> samples_;
  uint32_t most_neighbors_ = 0;
};

class SamplerOptions {
 public:
  SamplerOptions() = default;
  /** Begins the fanouts of an edge type; NULL: of all that have none of their own. */
  void add_fanouts(const char* edge_type) {
    fanouts_.emplace_back(text_or_empty(edge_type), std::vector<int64_t>());
  }
  /** One more hop of the fanouts begun last. */
  void add_hop(int64_t fanout) { fanouts_.at(fanouts_.size() - 1).second.push_back(fanout); }
  void set_flags(uint32_t flags) { options_.flags = flags; }
  void set_seed(uint64_t seed) { options_.seed = seed; }
  void set_direction(int32_t direction) { options_.direction = direction; }
  void set_replace(int32_t replace) { options_.replace = replace; }
  void set_weight(const char* column) { weight_ = text_or_empty(column); }
  void set_contract(uint32_t contract) { options_.contract = contract; }
  /** As DLPack: 1, 0 is the CPU; 0, 0: that of the dataset. */
  void set_device(int32_t type, int32_t id) {
    options_.device = {static_cast<DLDeviceType>(type), id};
  }
  void add_exclude(const char* edge_type, const Tensor* edges) { exclude_.add(edge_type, edges); }
  void set_exclude_mode(int32_t mode) { options_.exclude_mode = mode; }
  void set_reverse_column(const char* column) { reverse_column_ = text_or_empty(column); }
  void add_reverse_types(const char* edge_type, const char* reverse_type) {
    pairs_.emplace_back(text_or_empty(edge_type), text_or_empty(reverse_type));
  }

  /** @param node_time  column; NULL: none
   *  @param edge_time  column; NULL: none */
  void set_times(const char* node_time, const char* edge_time) {
    node_time_ = text_or_empty(node_time);
    edge_time_ = text_or_empty(edge_time);
  }
  void set_time_window(int64_t window) { options_.time_window = window; }
  void set_time_strategy(int32_t strategy) { options_.time_strategy = strategy; }
  void set_subgraph(int32_t subgraph) { options_.subgraph = subgraph; }
  void set_pick(int32_t pick) { options_.pick = pick; }
  void set_batch_dependency(uint32_t batches) { options_.batch_dependency = batches; }
  void set_negatives(const NegativeOptions* negatives) { negatives_ = *negatives; }
  /** @param edge_type  NULL: labels are given with the anchors
   *  @param node_type  of labels that are given; NULL: the only one
   *  @param name       NULL: that of the edge type */
  void add_supervision(const char* edge_type, const char* node_type, const char* name, int32_t role,
                       uint32_t flags, uint32_t max_labels) {
    supervisions_.push_back({text_or_empty(edge_type), text_or_empty(node_type),
                             text_or_empty(name), role, flags, max_labels});
  }
  /** Makes it a sampler of walks. */
  void set_walk(const WalkOptions* walk) { walk_ = *walk; }
  /** Makes it a sampler of importance neighbours. */
  void set_importance(const ImportanceOptions* importance) { importance_ = *importance; }
  /** Makes it a sampler by personalised PageRank. */
  void set_ppr(const PprOptions* ppr) { ppr_ = *ppr; }
  /** Makes it a sampler by budgets. */
  void set_hgt(const HgtOptions* hgt) { hgt_ = *hgt; }

#ifndef SWIG
  gls::Sampler make(const gls::Dataset& dataset) const {
    std::vector<gls_fanout_t> fanouts;
    for (const auto& [type, per_hop] : fanouts_) {
      fanouts.push_back({null_if_empty(type), per_hop.data(), per_hop.size()});
    }
    std::vector<gls_type_pair_t> pairs;
    for (const auto& [type, reverse] : pairs_) {
      pairs.push_back({type.c_str(), reverse.c_str()});
    }
    const std::vector<gls_edge_set_t> exclude = exclude_.view();
    gls_sampler_options_t options = options_;
    options.fanouts = fanouts.data();
    options.num_fanouts = fanouts.size();
    options.weight = null_if_empty(weight_);
    options.exclude = exclude.data();
    options.num_exclude = exclude.size();
    options.reverse_column = null_if_empty(reverse_column_);
    options.reverse_types = pairs.data();
    options.num_reverse_types = pairs.size();
    options.node_time = null_if_empty(node_time_);
    options.edge_time = null_if_empty(edge_time_);
    std::vector<gls_supervision_t> supervisions;
    for (const Supervision& s : supervisions_) {
      supervisions.push_back({null_if_empty(s.edge_type), null_if_empty(s.node_type),
                              null_if_empty(s.name), s.role, s.flags, s.max_labels, 0});
    }
    options.supervisions = supervisions.data();
    options.num_supervisions = supervisions.size();
    const gls_negative_options_t negatives = negatives_.view();
    options.negatives = &negatives;
    gls_walk_options_t walk = GLS_WALK_OPTIONS_INIT;
    std::vector<const char*> path;
    const auto set_path = [&path](const std::vector<std::string>& types) {
      for (const std::string& type : types) {
        path.push_back(type.c_str());
      }
    };
    gls_importance_options_t importance = GLS_IMPORTANCE_OPTIONS_INIT;
    if (importance_.has_value()) {
      importance = importance_->plain();
      set_path(importance_->path());
      importance.path = path.data();
      importance.path_length = path.size();
      options.kind = GLS_SAMPLER_IMPORTANCE;
      options.importance = &importance;
    }
    std::optional<PprOptions::View> ppr;
    if (ppr_.has_value()) {
      options.kind = GLS_SAMPLER_PPR;
      options.ppr = ppr.emplace(*ppr_).get();
    }
    gls_hgt_options_t hgt = GLS_HGT_OPTIONS_INIT;
    std::vector<gls_node_samples_t> samples;
    if (hgt_.has_value()) {
      samples = hgt_->samples();
      hgt.samples = samples.data();
      hgt.num_samples = samples.size();
      hgt.most_neighbors = hgt_->most_neighbors();
      options.kind = GLS_SAMPLER_HGT;
      options.hgt = &hgt;
    }
    if (walk_.has_value()) {
      walk = walk_->plain();
      path.clear();
      set_path(walk_->path());
      walk.path = path.data();
      walk.path_length = path.size();
      options.kind = GLS_SAMPLER_WALK;
      options.walk = &walk;
    }
    return gls::Sampler(dataset, options);
  }
#endif

 private:
  gls_sampler_options_t options_ = GLS_SAMPLER_OPTIONS_INIT;
  std::vector<std::pair<std::string, std::vector<int64_t>>> fanouts_;
  std::string weight_;
  EdgeSets exclude_;
  std::string reverse_column_;
  std::vector<std::pair<std::string, std::string>> pairs_;
  std::string node_time_;
  std::string edge_time_;
  NegativeOptions negatives_;
  struct Supervision {
    std::string edge_type;
    std::string node_type;
    std::string name;
    int32_t role;
    uint32_t flags;
    uint32_t max_labels;
  };
  std::vector<Supervision> supervisions_;
  std::optional<WalkOptions> walk_;
  std::optional<ImportanceOptions> importance_;
  std::optional<PprOptions> ppr_;
  std::optional<HgtOptions> hgt_;
};

/** What to sample for one batch. */
class SampleRequest {
 public:
  SampleRequest() = default;
  /** @param node_type  NULL: the only one
   *  @param times      of the seeds; NULL: they have none */
  void add_seeds(const char* node_type, const Tensor* ids, const Tensor* times) {
    seeds_.push_back({text_or_empty(node_type), *ids, copy_of(times)});
  }
  /** Instead of seeds.
   *  @param edge_type  NULL: the only one
   *  @param links      ids [n], or sources and targets [2, n]
   *  @param times      of the links; NULL: they have none
   *  @param labels     of the links; may be NULL */
  void set_links(const char* edge_type, const Tensor* links, const Tensor* times,
                 const Tensor* labels) {
    links_.emplace(Links{text_or_empty(edge_type), *links, copy_of(times), copy_of(labels)});
  }
  /** Labels of the next supervision, a row for each anchor; NULL: it has an edge type. */
  void add_labels(const Tensor* rows) { labels_.push_back(copy_of(rows)); }
  void set_epoch(uint64_t epoch) { request_.epoch = epoch; }
  void set_batch(uint64_t batch) { request_.batch = batch; }
  void add_exclude(const char* edge_type, const Tensor* edges) { exclude_.add(edge_type, edges); }

#ifndef SWIG
  gls::Batch sample(const gls::Sampler& sampler) const {
    std::vector<gls_seed_set_t> seeds;
    std::vector<const DLTensor*> all_times;
    for (const auto& [type, ids, times] : seeds_) {
      seeds.push_back({null_if_empty(type), &ids.view()});
      all_times.push_back(times.has_value() ? &times->view() : nullptr);
    }
    const auto given = [](const DLTensor* times) { return times != nullptr; };
    const bool any = std::any_of(all_times.begin(), all_times.end(), given);
    const std::vector<gls_edge_set_t> exclude = exclude_.view();
    gls_sample_request_t request = request_;
    request.seeds = seeds.data();
    request.num_seeds = seeds.size();
    request.exclude = exclude.data();
    request.num_exclude = exclude.size();
    request.times = any ? all_times.data() : nullptr;
    std::vector<const DLTensor*> labels;
    for (const std::optional<Tensor>& rows : labels_) {
      labels.push_back(rows.has_value() ? &rows->view() : nullptr);
    }
    request.labels = labels.data();
    request.num_labels = labels.size();
    gls_link_set_t links = GLS_LINK_SET_INIT;
    if (links_.has_value()) {
      links.edge_type = null_if_empty(links_->type);
      links.links = &links_->links.view();
      links.times = links_->times.has_value() ? &links_->times->view() : nullptr;
      links.labels = links_->labels.has_value() ? &links_->labels->view() : nullptr;
      request.links = &links;
    }
    return sampler.sample(request);
  }
#endif

 private:
  gls_sample_request_t request_ = GLS_SAMPLE_REQUEST_INIT;
  struct Seeds {
    std::string type;
    Tensor ids;
    std::optional<Tensor> times;
  };
  struct Links {
    std::string type;
    Tensor links;
    std::optional<Tensor> times;
    std::optional<Tensor> labels;
  };
  static std::optional<Tensor> copy_of(const Tensor* tensor) {
    return tensor != nullptr ? std::optional<Tensor>(*tensor) : std::nullopt;
  }
  std::vector<Seeds> seeds_;
  std::optional<Links> links_;
  std::vector<std::optional<Tensor>> labels_;
  EdgeSets exclude_;
};

#ifndef SWIG
/** A batch that a transform may use; NULL when that is over. */
struct LentBatch {
  gls_batch_t* handle;
};
#endif

class Batch {
 public:
  uint64_t epoch() const { return info().epoch; }
  uint64_t number() const { return info().batch; }
  uint64_t num_hops() const { return info().num_hops; }
  uint64_t bytes() const { return info().bytes; }
  uint64_t sample_ns() const { return info().sample_ns; }
  uint64_t gather_ns() const { return info().gather_ns; }
  int32_t padding() const { return info().padding; }

  uint32_t num_arrays() const { return static_cast<uint32_t>(gls_batch_num_arrays(handle())); }
  int32_t array(uint32_t index) const { return info(index).array; }
  /** Empty for arrays that were attached. */
  const char* array_type(uint32_t index) const { return info(index).type; }
  /** NULL for arrays that are neither columns, labels of anchors nor attached. */
  const char* array_name(uint32_t index) const { return info(index).name; }
  int32_t array_rows(uint32_t index) const { return info(index).rows; }

  Tensor* tensor(int32_t array, const char* type, const char* name) const {
    const std::string of = text_or_empty(type);
    const std::string column = text_or_empty(name);
    return new Tensor(own_tensor([&](auto out, auto err) {
      return gls_batch_tensor(handle(), array, null_if_empty(of), null_if_empty(column), out, err);
    }));
  }

  /** GLS_BLOCK_* of one layer. */
  Tensor* block_tensor(uint64_t layer, int32_t array, const char* type) const {
    const std::string of = text_or_empty(type);
    return new Tensor(own_tensor([&](auto out, auto err) {
      return gls_batch_block_tensor(handle(), layer, array, null_if_empty(of), out, err);
    }));
  }

  /** Names a stream that works with its arrays, see gls_batch_record_stream(). */
  void record_stream(uint64_t stream) const {
    gls::detail::call([&](auto err) {
      return gls_batch_record_stream(handle(), reinterpret_cast<void*>(stream), err);
    });
  }
  /** A copy in memory of the host. */
  Batch* to_host() const {
    return new Batch(gls::Batch(gls::detail::make<gls_batch_t>(
        [&](auto out, auto err) { return gls_batch_to_host(handle(), out, err); })));
  }

#ifndef SWIG
  gls_array_info_t info(uint32_t index) const {
    gls_array_info_t out{};
    out.struct_size = sizeof out;
    gls::detail::call(
        [&](auto err) { return gls_batch_get_array_info(handle(), index, &out, err); });
    return out;
  }
  explicit Batch(gls::Batch batch) : batch_(std::move(batch)) {}
  explicit Batch(std::shared_ptr<const LentBatch> lent) : lent_(std::move(lent)) {}
#endif

 private:
  gls_batch_t* handle() const { return batch_.has_value() ? batch_->get() : lent_->handle; }
  gls_batch_info_t info() const {
    gls_batch_info_t out{};
    out.struct_size = sizeof out;
    gls::detail::call([&](auto err) { return gls_batch_get_info(handle(), &out, err); });
    return out;
  }
  std::optional<gls::Batch> batch_;
  std::shared_ptr<const LentBatch> lent_;
};

class Sampler {
 public:
  Sampler(const Dataset* dataset, const SamplerOptions* options)
      : sampler_(options->make(dataset->impl())) {}
  Batch* sample(const SampleRequest* request) const { return new Batch(request->sample(sampler_)); }
  int32_t device_type() const { return static_cast<int32_t>(sampler_.device().device_type); }
  int32_t device_id() const { return sampler_.device().device_id; }

#ifndef SWIG
  const gls::Sampler& impl() const { return sampler_; }
#endif

 private:
  gls::Sampler sampler_;
};

}  // namespace gls::facade

#endif  // GLS_SWIG_SAMPLE_HPP
