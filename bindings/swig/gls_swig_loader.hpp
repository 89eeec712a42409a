/** @file gls_swig_loader.hpp
 *  Part of gls_swig.hpp: loaders.
 */
#ifndef GLS_SWIG_LOADER_HPP
#define GLS_SWIG_LOADER_HPP

#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "gls_swig_ready.hpp"
#include "gls_swig_sample.hpp"
#include "gls_swig_transform.hpp"

namespace gls::facade {

class LoaderOptions {
 public:
  LoaderOptions() = default;
  void set_node_type(const char* type) { node_type_ = text_or_empty(type); }
  void set_id_set(const char* name) { id_set_ = text_or_empty(name); }
  void set_batch_size(uint32_t seeds) { options_.batch_size = seeds; }
  void set_flags(uint32_t flags) { options_.flags = flags; }
  void set_trainer(uint32_t rank, uint32_t world_size) {
    options_.rank = rank;
    options_.world_size = world_size;
  }
  void set_even(int32_t even) { options_.even = even; }
  void set_num_workers(uint32_t workers) { options_.num_workers = workers; }
  void set_prefetch(uint32_t batches) { options_.prefetch = batches; }
  void set_prefetch_bytes(uint64_t bytes) { options_.prefetch_bytes = bytes; }
  void set_made_by(int32_t made_by) { options_.made_by = made_by; }
  /** Times of the seeds; NULL: their own. */
  void set_times(const Tensor* times) {
    times_ = times != nullptr ? std::optional<Tensor>(*times) : std::nullopt;
  }
  /** The seeds are links of this type; NULL: they are nodes. */
  void set_edge_type(const char* type) { edge_type_ = text_or_empty(type); }
  /** Of links; may be NULL. */
  void set_labels(const Tensor* labels) {
    labels_ = labels != nullptr ? std::optional<Tensor>(*labels) : std::nullopt;
  }
  /** Threads that take from the queue transform the batches; a queue serves one loader. NULL: none.
   */
  void set_transform(const TransformQueue* queue) {
    transform_.reset();
    if (queue != nullptr) {
      transform_.emplace(queue->line());
    }
  }
  /** Labels of the next supervision, a row for each seed; NULL: it has an edge type. */
  void add_anchor_labels(const Tensor* rows) {
    anchor_labels_.push_back(rows != nullptr ? std::optional<Tensor>(*rows) : std::nullopt);
  }
  /** Seeds of one more type, of several: in place of all else that says which they are.
   *  @param links   whether `type` is an edge type
   *  @param id_set  of nodes; NULL: see `ids`
   *  @param ids     NULL: all of the type
   *  @param times   NULL: their own
   *  @param labels  of links; may be NULL */
  void add_seed_set(bool links, const char* type, const char* id_set, const Tensor* ids,
                    const Tensor* times, const Tensor* labels) {
    const auto copy = [](const Tensor* tensor) {
      return tensor != nullptr ? std::optional<Tensor>(*tensor) : std::nullopt;
    };
    seed_sets_.push_back(
        {links, text_or_empty(type), text_or_empty(id_set), copy(ids), copy(times), copy(labels)});
  }
  /** Seeds are drawn: GLS_LAW_*, or by a column.
   *  @param weight   NULL: by the law
   *  @param batches  of an epoch; 0: as many as without draws */
  void set_drawn(int32_t law, const char* weight, uint64_t batches) {
    options_.seed_rule = GLS_SEEDS_DRAW;
    options_.seed_law = law;
    options_.batches = batches;
    seed_weight_ = text_or_empty(weight);
  }
  /** Seeds by the clusters in a node column, or by those of each node; one of the two is NULL. */
  void set_clusters(const char* column, const Tensor* clusters) {
    options_.seed_rule = GLS_SEEDS_CLUSTER;
    cluster_ = text_or_empty(column);
    clusters_ = clusters != nullptr ? std::optional<Tensor>(*clusters) : std::nullopt;
  }
  /** Batches of one shape; 0: the default. */
  void set_pad(uint32_t batches, uint32_t multiple, double sigma) {
    pad_ = GLS_PAD_OPTIONS_INIT;
    pad_->batches = batches;
    pad_->multiple = multiple;
    pad_->sigma = sigma;
  }
  /** After set_pad(). */
  void add_pad_size(const char* type, int64_t rows) {
    pad_sizes_.emplace_back(text_or_empty(type), rows);
  }
  /** @param type        NULL: every type that has the column
   *  @param dtype_bits  0: as stored */
  void add_column(const char* type, const char* name, int32_t rows, int32_t dtype_code,
                  int32_t dtype_bits) {
    columns_.push_back(
        {text_or_empty(type), text_or_empty(name), rows,
         DLDataType{static_cast<uint8_t>(dtype_code), static_cast<uint8_t>(dtype_bits),
                    static_cast<uint16_t>(dtype_bits != 0 ? 1 : 0)}});
  }

#ifndef SWIG
  gls::Loader make(const gls::Sampler& sampler, gls::Tensor seeds) const {
    std::vector<gls_column_request_t> columns;
    for (const Column& column : columns_) {
      columns.push_back(
          {null_if_empty(column.type), column.name.c_str(), column.rows, column.dtype});
    }
    gls_loader_options_t options = options_;
    options.node_type = null_if_empty(node_type_);
    options.id_set = null_if_empty(id_set_);
    options.columns = columns.data();
    options.num_columns = columns.size();
    gls::Tensor times = times_.has_value() ? times_->share(true) : gls::Tensor();
    gls::Tensor labels = labels_.has_value() ? labels_->share(true) : gls::Tensor();
    gls::Tensor clusters = clusters_.has_value() ? clusters_->share(true) : gls::Tensor();
    options.seed_weight = null_if_empty(seed_weight_);
    options.cluster = null_if_empty(cluster_);
    options.clusters = clusters.get();
    options.times = times.get();
    options.labels = labels.get();
    options.edge_type = null_if_empty(edge_type_);
    gls_pad_options_t pad = pad_.value_or(GLS_PAD_OPTIONS_INIT);
    std::vector<gls_pad_size_t> pad_sizes;
    for (const auto& [type, rows] : pad_sizes_) {
      pad_sizes.push_back({type.c_str(), rows});
    }
    pad.sizes = pad_sizes.data();
    pad.num_sizes = pad_sizes.size();
    options.pad = pad_.has_value() ? &pad : nullptr;
    std::unique_ptr<std::shared_ptr<TransformLine>> line;
    if (transform_.has_value()) {
      line = std::make_unique<std::shared_ptr<TransformLine>>(transform_->get());
      options.transform = TransformLine::visit;
      options.transform_data = line.get();
      options.transform_destroy = TransformLine::release;
    }
    std::vector<gls::Tensor> rows;
    std::vector<gls_tensor_t*> anchor_labels;
    for (const std::optional<Tensor>& one : anchor_labels_) {
      rows.push_back(one.has_value() ? one->share(true) : gls::Tensor());
      anchor_labels.push_back(rows.back().get());
    }
    options.anchor_labels = anchor_labels.data();
    options.num_anchor_labels = anchor_labels.size();
    std::vector<gls_loader_seeds_t> seed_sets;
    const auto taken = [&rows](const std::optional<Tensor>& tensor) {
      rows.push_back(tensor.has_value() ? tensor->share(true) : gls::Tensor());
      return rows.back().get();
    };
    for (const SeedSet& set : seed_sets_) {
      const char* const type = null_if_empty(set.type);
      gls_loader_seeds_t& out = seed_sets.emplace_back();
      out.node_type = set.links ? nullptr : type;
      out.edge_type = set.links ? type : nullptr;
      out.id_set = null_if_empty(set.id_set);
      out.ids = taken(set.ids);
      out.times = taken(set.times);
      out.labels = taken(set.labels);
    }
    options.seed_sets = seed_sets.data();
    options.num_seed_sets = seed_sets.size();
    static_cast<void>(line.release());  // the library destroys it, also when the call fails
    gls::Loader out(sampler, std::move(seeds), options);
    static_cast<void>(times.release());
    static_cast<void>(labels.release());
    static_cast<void>(clusters.release());
    for (gls::Tensor& one : rows) {
      static_cast<void>(one.release());
    }
    return out;
  }
  const std::optional<TransformShare>& transform() const { return transform_; }
#endif

 private:
  struct Column {
    std::string type;
    std::string name;
    int32_t rows;
    DLDataType dtype;
  };
  struct SeedSet {
    bool links;
    std::string type;
    std::string id_set;
    std::optional<Tensor> ids;
    std::optional<Tensor> times;
    std::optional<Tensor> labels;
  };
  gls_loader_options_t options_ = GLS_LOADER_OPTIONS_INIT;
  std::string node_type_;
  std::string id_set_;
  std::vector<Column> columns_;
  std::string edge_type_;
  std::optional<Tensor> times_;
  std::optional<Tensor> labels_;
  std::optional<gls_pad_options_t> pad_;
  std::vector<std::pair<std::string, int64_t>> pad_sizes_;
  std::optional<TransformShare> transform_;
  std::vector<std::optional<Tensor>> anchor_labels_;
  std::string seed_weight_;
  std::string cluster_;
  std::optional<Tensor> clusters_;
  std::vector<SeedSet> seed_sets_;
};

/** GraphSAINT's norms: float32, NULL where not wanted. */
class SaintNorms {
 public:
  Tensor* node() const { return nodes_.has_value() ? new Tensor(*nodes_) : nullptr; }
  Tensor* edge() const { return edges_.has_value() ? new Tensor(*edges_) : nullptr; }

#ifndef SWIG
  explicit SaintNorms(std::pair<gls::Tensor, gls::Tensor> norms) {
    if (norms.first.get() != nullptr) {
      nodes_.emplace(std::move(norms.first));
    }
    if (norms.second.get() != nullptr) {
      edges_.emplace(std::move(norms.second));
    }
  }
#endif

 private:
  std::optional<Tensor> nodes_;
  std::optional<Tensor> edges_;
};

/** What a plan of an epoch is made for; see gls_plan_options_t. */
class PlanOptions {
 public:
  PlanOptions() = default;
  void set_epoch(uint64_t epoch) { options_.epoch = epoch; }
  /** 0: all. */
  void set_batches(uint64_t batches) { options_.batches = batches; }
  /** One more size of memory to compare, in bytes. Without any: parts of the data. */
  void add_memory(uint64_t bytes) { memory_.push_back(bytes); }

#ifndef SWIG
  /** Its pointers are valid as long as this object is. */
  gls_plan_options_t get() const {
    gls_plan_options_t options = options_;
    options.memory = memory_.data();
    options.num_memory = memory_.size();
    return options;
  }
#endif

 private:
  gls_plan_options_t options_ = GLS_PLAN_OPTIONS_INIT;
  std::vector<uint64_t> memory_;
};

/** Totals of a loader; times of workers are summed over workers. */
struct LoaderStats {
  uint64_t batches;
  uint64_t seeds;
  uint64_t nodes;
  uint64_t edges;
  uint64_t gathered_rows;
  uint64_t gathered_bytes;
  uint64_t sample_ns;
  uint64_t gather_ns;
  uint64_t worker_wait_ns;
  uint64_t caller_wait_ns;
  uint64_t wall_ns;
  uint64_t ready_batches;
  uint64_t ready_bytes;
  uint64_t peak_bytes;
  uint64_t device_rows;
  uint64_t pinned_rows;
  uint64_t host_rows;
  uint64_t remote_rows;
  uint64_t peer_rows;
  uint64_t disk_rows;
  uint64_t disk_row_bytes;
  uint64_t disk_read_bytes;
  uint64_t disk_packed_bytes;
};

class Loader {
 public:
  /** @param seeds  may be NULL: the id set of the options, else all nodes of the type */
  Loader(const Sampler* sampler, const Tensor* seeds, const LoaderOptions* options)
      : loader_(
            options->make(sampler->impl(), seeds != nullptr ? seeds->share(true) : gls::Tensor())),
        transform_(options->transform()) {}
  /** Waits for the batches in work, unless a transform ends its own loader, as a garbage collector
   *  may: then that is done when it has answered. */
  ~Loader() {
    if (!transform_.has_value() || (*transform_)->in_child()) {
      return;
    }
    (*transform_)->close();
    if ((*transform_)->serves()) {
      (*transform_)->keep(std::move(loader_));
    }
  }
  Loader(const Loader&) = delete;
  Loader& operator=(const Loader&) = delete;
  /** GLS_OK: take() gives the batch. GLS_IN_PROGRESS: not yet. GLS_END: the epoch is over. A batch
   *  that was not taken is offered again. */
  int32_t next(int64_t timeout_ms) {
    check_outside();
    return batch_.has_value() ? GLS_OK : loader_.next(timeout_ms, &batch_);
  }
  /** True: next() will not wait now. False: the queue returns `number`, which is not 0, once. It
   * does so when next() will not wait, or the loader was cancelled, moved, given another
   * notification or deleted. */
  bool notify(const ReadyQueue* queue, uint64_t number) {
    if (batch_.has_value()) {
      return true;
    }
    auto ticket = std::make_unique<ReadyQueue::Ticket>(*queue, number);
    if (loader_.notify(ReadyQueue::Ticket::send, ticket.get()) == GLS_OK) {
      return true;
    }
    static_cast<void>(ticket.release());  // it may be gone already
    return false;
  }
  /** NULL when next() did not say GLS_OK. */
  Batch* take() {
    if (!batch_.has_value()) {
      return nullptr;
    }
    Batch* const out = new Batch(std::move(*batch_));
    batch_.reset();
    return out;
  }
  void seek(uint64_t epoch) {
    loader_.seek(epoch);
    batch_.reset();
  }
  /** A batch by its number, without moving the loader. For any thread. */
  Batch* sample(uint64_t epoch, uint64_t batch) const {
    check_outside();
    return new Batch(loader_.sample(epoch, batch));
  }
  /** GraphSAINT's norms, by counting; see gls_norm_options_t. For any thread.
   *  @param progress  may be NULL */
  SaintNorms* saint_norms(const char* node_type, const char* edge_type, uint64_t epoch,
                          uint64_t batches, double coverage, bool of_nodes, bool of_edges,
                          Progress* progress) const {
    gls_norm_options_t options = GLS_NORM_OPTIONS_INIT;
    options.node_type = node_type;
    options.edge_type = edge_type;
    options.epoch = epoch;
    options.batches = batches;
    options.coverage = coverage;
    if (progress != nullptr) {
      options.progress = Progress::call;
      options.progress_user_data = progress;
    }
    return new SaintNorms(loader_.saint_norms(options, of_nodes, of_edges));
  }
  /** What an epoch needs, found by sampling it: JSON text. For any thread.
   *  @param progress  may be NULL */
  std::string plan(const PlanOptions* options, Progress* progress) const {
    gls_plan_options_t given = options->get();
    if (progress != nullptr) {
      given.progress = Progress::call;
      given.progress_user_data = progress;
    }
    return loader_.plan(given);
  }
  void cancel() { loader_.cancel(); }
  std::string save() const { return loader_.save(); }
  void restore(const char* state) {
    loader_.restore(text_or_empty(state));
    batch_.reset();
  }
  /** What its batches are of; of an attached loader the types alone. */
  Dataset* dataset() const { return new Dataset(loader_.dataset()); }
  uint64_t epoch() const { return loader_.info().epoch; }
  uint64_t next_batch() const { return loader_.info().next_batch; }
  uint64_t num_batches() const { return loader_.info().num_batches; }
  uint64_t num_global_batches() const { return loader_.info().num_global_batches; }
  uint64_t num_seeds() const { return loader_.info().num_seeds; }
  uint64_t batch_size() const { return loader_.info().batch_size; }
  int64_t pad_size(const char* type) const { return loader_.pad_size(text_or_empty(type)); }
  LoaderStats* stats() const {
    const gls_loader_stats_t s = loader_.stats();
    return new LoaderStats{s.batches,
                           s.seeds,
                           s.nodes,
                           s.edges,
                           s.gathered_rows,
                           s.gathered_bytes,
                           s.sample_ns,
                           s.gather_ns,
                           s.worker_wait_ns,
                           s.caller_wait_ns,
                           s.wall_ns,
                           s.ready_batches,
                           s.ready_bytes,
                           s.peak_bytes,
                           s.device_rows,
                           s.pinned_rows,
                           s.host_rows,
                           s.remote_rows,
                           s.peer_rows,
                           s.disk_rows,
                           s.disk_row_bytes,
                           s.disk_read_bytes,
                           s.disk_packed_bytes};
  }

#ifndef SWIG
  explicit Loader(gls::Loader loader) : loader_(std::move(loader)) {}
  const gls::Loader& impl() const { return loader_; }
#endif

 private:
  // A transform that waits for its own loader would wait for itself.
  void check_outside() const {
    if (transform_.has_value() && (*transform_)->serves()) {
      throw std::logic_error("a transform cannot ask its own loader for batches");
    }
  }

  gls::Loader loader_;
  std::optional<gls::Batch> batch_;
  std::optional<TransformShare> transform_;
};

}  // namespace gls::facade

#endif  // GLS_SWIG_LOADER_HPP
