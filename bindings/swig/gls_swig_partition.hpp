/** @file gls_swig_partition.hpp
 *  Part of gls_swig.hpp: parts of a graph.
 */
#ifndef GLS_SWIG_PARTITION_HPP
#define GLS_SWIG_PARTITION_HPP

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "gls_swig_context.hpp"

namespace gls::facade {

/** How Dataset::partition goes about it. */
class PartitionOptions {
 public:
  PartitionOptions() = default;
  void set_method(int32_t method) { options_.method = method; }
  void set_parts(uint32_t parts) { options_.parts = parts; }
  void set_seed(uint64_t seed) { options_.seed = seed; }
  void add_balance_set(const char* name) { balance_sets_.push_back(text_or_empty(name)); }
  void set_imbalance(double imbalance) { options_.imbalance = imbalance; }
  void set_balance_edges(bool balance) { options_.balance_edges = balance ? 1 : 0; }
  void set_halo_hops(uint32_t hops) { options_.halo_hops = hops; }
  void set_hot_rows(int64_t rows) { options_.hot_rows = rows; }
  void set_hot_fraction(double fraction) { options_.hot_fraction = fraction; }
  /** NULL: of all nodes where there are fanouts, else ends of edges decide. */
  void set_hot_id_set(const char* name) {
    has_hot_id_set_ = name != nullptr;
    hot_id_set_ = text_or_empty(name);
  }
  /** One more hop of the batches by which hot rows are measured. */
  void add_hot_fanout(int64_t fanout) { hot_fanouts_.push_back(fanout); }
  void set_hot_max_seeds(int64_t seeds) { options_.hot_max_seeds = seeds; }
  /** Of the next node type. */
  void add_owners(const Tensor* owners) { owners_.push_back(*owners); }
  void set_owners_file(const char* path) { owners_file_ = text_or_empty(path); }
  void set_overwrite(bool overwrite) { options_.overwrite = overwrite ? 1 : 0; }
  void set_row_padding(bool padding) { options_.compact_rows = padding ? 0 : 1; }

#ifndef SWIG
  /** Calls `use` with the struct of gls.h. */
  template <typename Function>
  void with(Progress* progress, Function&& use) const {
    gls_partition_options_t out = options_;
    out.hot_id_set = has_hot_id_set_ ? hot_id_set_.c_str() : nullptr;
    out.hot_fanouts = hot_fanouts_.data();
    out.num_hot_fanouts = hot_fanouts_.size();
    std::vector<const char*> balance_sets;
    for (const std::string& name : balance_sets_) {
      balance_sets.push_back(name.c_str());
    }
    out.balance_sets = balance_sets.data();
    out.num_balance_sets = balance_sets.size();
    std::vector<const DLTensor*> owners;
    for (const Tensor& tensor : owners_) {
      owners.push_back(&tensor.view());
    }
    out.owners = owners.data();
    out.num_owners = owners.size();
    out.owners_file = null_if_empty(owners_file_);
    if (progress != nullptr) {
      out.progress = Progress::call;
      out.progress_user_data = progress;
    }
    use(out);
  }
#endif

 private:
  gls_partition_options_t options_ = GLS_PARTITION_OPTIONS_INIT;
  std::vector<std::string> balance_sets_;
  std::vector<Tensor> owners_;
  std::string owners_file_;
  std::string hot_id_set_;
  bool has_hot_id_set_ = false;
  std::vector<int64_t> hot_fanouts_;
};

/** In how many parts a graph is, and which are at hand. */
class PartsOfGraph {
 public:
  uint32_t count() const { return count_; }
  /** int64 */
  Tensor* here() const { return new Tensor(here_); }

#ifndef SWIG
  explicit PartsOfGraph(std::pair<uint32_t, gls::Tensor> found)
      : count_(found.first), here_(std::move(found.second)) {}
#endif

 private:
  uint32_t count_;
  Tensor here_;
};

/** The global ids of the ids of a part. */
class GlobalIds {
 public:
  /** int64, the owned first */
  Tensor* ids() const { return new Tensor(ids_); }
  int64_t owned() const { return owned_; }

#ifndef SWIG
  explicit GlobalIds(std::pair<gls::Tensor, int64_t> found)
      : ids_(std::move(found.first)), owned_(found.second) {}
#endif

 private:
  Tensor ids_;
  int64_t owned_;
};

/** A folder of parts. Types are those of the whole, named as a dataset names them. */
class Partition {
 public:
  static Partition* open(const Context* context, const char* path) {
    return new Partition(gls::Partition::open(context->impl(), text_or_empty(path)));
  }
  uint32_t parts() const { return info_.parts; }
  const char* graph() const { return info_.graph; }
  const char* method() const { return info_.method; }
  const char* options() const { return info_.options; }

  uint32_t num_node_types() const { return static_cast<uint32_t>(info_.num_node_types); }
  const char* node_type(uint32_t type) const { return partition_.node_type(type).name; }
  int64_t num_nodes(uint32_t type) const { return partition_.node_type(type).count; }

  uint32_t num_edge_types() const { return static_cast<uint32_t>(info_.num_edge_types); }
  std::string edge_type(uint32_t type) const {
    const gls_partition_type_info_t found = partition_.edge_type(type);
    return std::string(found.source) + "__" + found.name + "__" + found.target;
  }
  const char* edge_source(uint32_t type) const { return partition_.edge_type(type).source; }
  const char* edge_relation(uint32_t type) const { return partition_.edge_type(type).name; }
  const char* edge_target(uint32_t type) const { return partition_.edge_type(type).target; }
  int64_t num_edges(uint32_t type) const { return partition_.edge_type(type).count; }

  /** int32 [ids] */
  Tensor* owners(const char* node_type, const Tensor* ids) const {
    return new Tensor(partition_.owners(text_or_empty(node_type), ids->view()));
  }
  /** @param progress  may be NULL */
  void merge(const char* path, bool overwrite, Progress* progress) const {
    gls_write_options_t options = GLS_WRITE_OPTIONS_INIT;
    options.overwrite = overwrite ? 1 : 0;
    if (progress != nullptr) {
      options.progress = Progress::call;
      options.progress_user_data = progress;
    }
    partition_.merge(text_or_empty(path), options);
  }
  /** @param progress  may be NULL */
  void verify(Progress* progress) const {
    gls_verify_options_t options = GLS_VERIFY_OPTIONS_INIT;
    if (progress != nullptr) {
      options.progress = Progress::call;
      options.progress_user_data = progress;
    }
    partition_.verify(options);
  }

#ifndef SWIG
  explicit Partition(gls::Partition partition)
      : partition_(std::move(partition)), info_(partition_.info()) {}
#endif

 private:
  gls::Partition partition_;
  gls_partition_info_t info_;
};

}  // namespace gls::facade

#endif  // GLS_SWIG_PARTITION_HPP
