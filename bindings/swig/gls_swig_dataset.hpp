/** @file gls_swig_dataset.hpp
 *  Part of gls_swig.hpp: datasets and their builder.
 */
#ifndef GLS_SWIG_DATASET_HPP
#define GLS_SWIG_DATASET_HPP

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "gls_swig_calls.hpp"
#include "gls_swig_context.hpp"
#include "gls_swig_partition.hpp"
#include "gls_swig_store.hpp"

namespace gls::facade {

/** What a caller chooses of another system's dataset, or of the files to write. */
class Choices {
 public:
  Choices() = default;
  /** @param text  "name=value" */
  void add(const char* text) { choices_.push_back(text_or_empty(text)); }
  const std::vector<std::string>& all() const { return choices_; }

 private:
  std::vector<std::string> choices_;
};

/** How Builder::build, Builder::write and Dataset::save go about it. */
class WriteOptions {
 public:
  WriteOptions() = default;
  void set_memory(uint64_t bytes) { options_.memory = bytes; }
  void set_layouts(uint32_t layouts) { options_.layouts = layouts; }
  void set_overwrite(bool overwrite) { options_.overwrite = overwrite ? 1 : 0; }
  void set_row_padding(bool padding) { options_.compact_rows = padding ? 0 : 1; }

#ifndef SWIG
  gls_write_options_t with(Progress* progress) const {
    gls_write_options_t out = options_;
    if (progress != nullptr) {
      out.progress = Progress::call;
      out.progress_user_data = progress;
    }
    return out;
  }
#endif

 private:
  gls_write_options_t options_ = GLS_WRITE_OPTIONS_INIT;
};

/** What a dataset says of one of its columns. */
class ColumnInfo {
 public:
  const char* name() const { return name_.c_str(); }
  int32_t role() const { return info_.role; }
  int32_t dtype_code() const { return info_.dtype.code; }
  int32_t dtype_bits() const { return info_.dtype.bits; }
  int32_t ndim() const { return info_.ndim; }
  int64_t dim(int32_t index) const { return shape_.at(static_cast<size_t>(index)); }
  /** Bytes from one row to the next. */
  int64_t row_stride() const { return info_.row_stride; }
  /** Of each code of a quantised column; 0: it is none. */
  uint32_t bits() const { return info_.bits; }
  /** Arrow's format string of a timestamp, date, time or duration; empty: plain numbers. */
  const char* logical_type() const { return logical_type_.c_str(); }
  /** What a code of a quantised column stands for. */
  float code_value(uint32_t code) const { return codebook_.at(code); }

#ifndef SWIG
  explicit ColumnInfo(const gls_column_info_t& info)
      : info_(info),
        name_(info.name),
        logical_type_(info.logical_type != nullptr ? info.logical_type : ""),
        shape_(info.shape, info.shape + info.ndim) {
    if (info.codebook != nullptr) {
      codebook_.assign(info.codebook, info.codebook + (size_t{1} << info.bits));
    }
  }
#endif

 private:
  gls_column_info_t info_;
  std::vector<float> codebook_;
  std::string name_;
  std::string logical_type_;
  std::vector<int64_t> shape_;
};

/** What each part of a split by hash gets. */
class SplitShares {
 public:
  SplitShares() = default;
  void add(double share) { shares_.push_back(share); }
  Tensor* split(const Tensor* ids, uint64_t seed) const {
    return new Tensor(gls::split_ids(ids->view(), seed, shares_));
  }

 private:
  std::vector<double> shares_;
};

/** One part of a split of links: int64 ids each. */
class LinkPart {
 public:
  Tensor* links() const { return new Tensor(links_); }
  Tensor* exclude() const { return new Tensor(exclude_); }

#ifndef SWIG
  explicit LinkPart(std::pair<gls::Tensor, gls::Tensor> part)
      : links_(std::move(part.first)), exclude_(std::move(part.second)) {}
#endif

 private:
  Tensor links_;
  Tensor exclude_;
};

/** Both ends of some edges: int64 [edges] each. */
class EdgeEnds {
 public:
  Tensor* source() const { return new Tensor(source_); }
  Tensor* target() const { return new Tensor(target_); }

#ifndef SWIG
  explicit EdgeEnds(std::pair<gls::Tensor, gls::Tensor> ends)
      : source_(std::move(ends.first)), target_(std::move(ends.second)) {}
#endif

 private:
  Tensor source_;
  Tensor target_;
};

class Dataset {
 public:
  /** @param progress  may be NULL */
  static Dataset* open(const Context* context, const char* path, int32_t residency, bool verify,
                       Progress* progress) {
    gls_dataset_options_t options = GLS_DATASET_OPTIONS_INIT;
    options.residency = residency;
    options.verify_checksums = verify ? 1 : 0;
    if (progress != nullptr) {
      options.progress = Progress::call;
      options.progress_user_data = progress;
    }
    return new Dataset(gls::Dataset::open(context->impl(), text_or_empty(path), options));
  }
  /** The same dataset working there. As DLPack: 1, 0 is the CPU; 0, 0: where this works. */
  Dataset* on_device(int32_t type, int32_t id) const {
    return new Dataset(dataset_.on_device({static_cast<DLDeviceType>(type), id}));
  }
  Dataset* with_stores(const StoreList* stores) const {
    return new Dataset(dataset_.with_stores(stores->all()));
  }
  /** @param choices, progress  may be NULL */
  void export_to(const char* format, const char* path, const Choices* choices, bool overwrite,
                 Progress* progress) const {
    gls_export_options_t options = GLS_EXPORT_OPTIONS_INIT;
    options.overwrite = overwrite ? 1 : 0;
    if (progress != nullptr) {
      options.progress = Progress::call;
      options.progress_user_data = progress;
    }
    dataset_.export_to(text_or_empty(format), text_or_empty(path),
                       choices != nullptr ? choices->all() : std::vector<std::string>(), options);
  }
  int32_t device_type() const { return static_cast<int32_t>(dataset_.device().device_type); }
  int32_t device_id() const { return dataset_.device().device_id; }

  uint32_t num_node_types() const { return static_cast<uint32_t>(node_types_.size()); }
  const char* node_type(uint32_t type) const { return node_types_.at(type).name; }
  int64_t num_nodes(uint32_t type) const { return node_types_.at(type).num_nodes; }
  bool has_keys(uint32_t type) const { return node_types_.at(type).has_keys != 0; }
  uint32_t num_node_columns(uint32_t type) const {
    return static_cast<uint32_t>(node_types_.at(type).num_columns);
  }
  ColumnInfo* node_column(uint32_t type, uint32_t column) const {
    return new ColumnInfo(dataset_.node_column(node_types_.at(type).name, column));
  }
  uint32_t num_id_sets(uint32_t type) const {
    return static_cast<uint32_t>(node_types_.at(type).num_id_sets);
  }
  const char* id_set_name(uint32_t type, uint32_t set) const { return id_set(type, set).name; }
  int64_t id_set_size(uint32_t type, uint32_t set) const { return id_set(type, set).num_ids; }

  uint32_t num_edge_types() const { return static_cast<uint32_t>(edge_types_.size()); }
  const char* edge_type(uint32_t type) const { return edge_types_.at(type).name; }
  const char* edge_source(uint32_t type) const { return edge_types_.at(type).source; }
  const char* edge_relation(uint32_t type) const { return edge_types_.at(type).relation; }
  const char* edge_target(uint32_t type) const { return edge_types_.at(type).target; }
  int64_t num_edges(uint32_t type) const { return edge_types_.at(type).num_edges; }
  uint32_t layouts(uint32_t type) const { return edge_types_.at(type).layouts; }
  uint32_t index_bits(uint32_t type) const { return edge_types_.at(type).index_bits; }
  uint32_t num_edge_columns(uint32_t type) const {
    return static_cast<uint32_t>(edge_types_.at(type).num_columns);
  }
  ColumnInfo* edge_column(uint32_t type, uint32_t column) const {
    return new ColumnInfo(dataset_.edge_column(edge_types_.at(type).name, column));
  }

  Tensor* tensor(int32_t array, const char* type, const char* name) const {
    return new Tensor(dataset_.tensor(array, text_or_empty(type), text_or_empty(name)));
  }
  int64_t find_node(const char* type, const char* key) const {
    return dataset_.find_node(text_or_empty(type), text_or_empty(key));
  }
  std::string node_key(const char* type, int64_t node) const {
    return dataset_.node_key(text_or_empty(type), node);
  }
  EdgeEnds* find_edges(const char* edge_type, const Tensor* edges) const {
    return new EdgeEnds(dataset_.find_edges(text_or_empty(edge_type), edges->view()));
  }
  LinkPart* split_links(const char* edge_type, uint64_t seed, double valid, double test,
                        double supervision, uint32_t flags, int32_t part) const {
    gls_link_split_options_t options = GLS_LINK_SPLIT_OPTIONS_INIT;
    options.seed = seed;
    options.valid = valid;
    options.test = test;
    options.supervision = supervision;
    options.flags = flags;
    return new LinkPart(dataset_.split_links(text_or_empty(edge_type), options, part));
  }
  /** bool [pairs] */
  Tensor* has_edges(const char* edge_type, const Tensor* source, const Tensor* target) const {
    return new Tensor(dataset_.has_edges(text_or_empty(edge_type), source->view(), target->view()));
  }
  /** @param nodes  NULL: all */
  Tensor* degrees(const char* edge_type, int32_t direction, const Tensor* nodes) const {
    return new Tensor(dataset_.degrees(text_or_empty(edge_type), direction,
                                       nodes != nullptr ? &nodes->view() : nullptr));
  }
  Tensor* rows(const char* type, const char* column, const Tensor* ids) const {
    return new Tensor(dataset_.rows(text_or_empty(type), text_or_empty(column), ids->view()));
  }
  /** int32 [ids] */
  Tensor* owners(const char* type, const Tensor* ids) const {
    return new Tensor(dataset_.owners(text_or_empty(type), ids->view()));
  }
  /** int64
   *  @param ids         NULL: all
   *  @param rank_parts  may be NULL */
  Tensor* share_ids(const char* type, const Tensor* ids, uint32_t rank, uint32_t world_size,
                    const Tensor* rank_parts) const {
    return new Tensor(dataset_.share_ids(text_or_empty(type),
                                         ids != nullptr ? &ids->view() : nullptr, rank, world_size,
                                         rank_parts != nullptr ? &rank_parts->view() : nullptr));
  }
  /** Calls a function of a server that has this part.
   *  @param data        may be NULL: none
   *  @param timeout_ms  as in gls.h */
  Future* call(uint32_t part, const char* function, const Tensor* data, int64_t timeout_ms,
               bool idempotent) const {
    const Bytes bytes = bytes_of(data);
    return new Future(dataset_.call(part, text_or_empty(function), bytes.data, bytes.size,
                                    timeout_ms, call_options(idempotent)));
  }
  /** @param stream  the address of an empty ArrowArrayStream */
  void nodes_to_arrow(const char* type, int64_t stream) const {
    dataset_.nodes_to_arrow(text_or_empty(type), arrow_at<ArrowArrayStream>(stream));
  }
  /** @param stream  the address of an empty ArrowArrayStream */
  void edges_to_arrow(const char* edge_type, int64_t stream) const {
    dataset_.edges_to_arrow(text_or_empty(edge_type), arrow_at<ArrowArrayStream>(stream));
  }
  /** @param progress  may be NULL */
  void verify(Progress* progress) const {
    gls_verify_options_t options = GLS_VERIFY_OPTIONS_INIT;
    if (progress != nullptr) {
      options.progress = Progress::call;
      options.progress_user_data = progress;
    }
    dataset_.verify(options);
  }
  void save(const char* path, const WriteOptions* options, Progress* progress) const {
    dataset_.save(text_or_empty(path), options->with(progress));
  }

  void partition(const char* path, const PartitionOptions* options, Progress* progress) const {
    options->with(progress,
                  [&](const auto& given) { dataset_.partition(text_or_empty(path), given); });
  }
  /** 0: the dataset is not a part of a graph. */
  uint32_t num_parts() const { return dataset_.part().parts; }
  uint32_t part_number() const { return dataset_.part().number; }
  /** NULL: the dataset is not a part of a graph. */
  const char* part_graph() const { return dataset_.part().graph; }
  PartsOfGraph* parts() const { return new PartsOfGraph(dataset_.parts()); }
  GlobalIds* global_ids(const char* type) const {
    return new GlobalIds(dataset_.global_ids(text_or_empty(type)));
  }

#ifndef SWIG
  explicit Dataset(gls::Dataset dataset)
      : dataset_(std::move(dataset)),
        node_types_(dataset_.node_types()),
        edge_types_(dataset_.edge_types()) {}
  const gls::Dataset& impl() const { return dataset_; }
#endif

 private:
  gls_id_set_info_t id_set(uint32_t type, uint32_t set) const {
    return dataset_.id_set(node_types_.at(type).name, set);
  }
  gls::Dataset dataset_;
  std::vector<gls_node_type_info_t> node_types_;
  std::vector<gls_edge_type_info_t> edge_types_;
};

/** How a delimited file is to be read. */
class TextOptions {
 public:
  TextOptions() = default;
  void set_delimiter(char delimiter) { options_.delimiter = delimiter; }
  void set_comment(char comment) { options_.comment = comment; }
  void set_header(int32_t header) { options_.header = header; }
  void set_encoding(int32_t encoding) { options_.encoding = encoding; }
  void set_source_field(const char* field) { source_field_ = text_or_empty(field); }
  void set_target_field(const char* field) { target_field_ = text_or_empty(field); }
  void set_flags(uint32_t flags) { options_.flags = flags; }
  /** @param name  NULL: as the field */
  void add_column(const char* field, const char* name, const char* dtype, int32_t role) {
    columns_.push_back({text_or_empty(field), text_or_empty(name), text_or_empty(dtype), role});
  }

#ifndef SWIG
  /** Calls `use` with the struct of gls.h. */
  template <typename Function>
  void with(Function&& use) const {
    gls_text_options_t out = options_;
    out.source_field = null_if_empty(source_field_);
    out.target_field = null_if_empty(target_field_);
    std::vector<gls_text_column_t> columns;
    for (const Column& column : columns_) {
      columns.push_back(
          {column.field.c_str(), null_if_empty(column.name), column.dtype.c_str(), column.role, 0});
    }
    out.columns = columns.data();
    out.num_columns = columns.size();
    use(out);
  }
#endif

 private:
  struct Column {
    std::string field;
    std::string name;
    std::string dtype;
    int32_t role;
  };
  gls_text_options_t options_ = GLS_TEXT_OPTIONS_INIT;
  std::string source_field_;
  std::string target_field_;
  std::vector<Column> columns_;
};

/** What becomes of the fields of a stream of Arrow batches. */
class ArrowOptions {
 public:
  ArrowOptions() = default;
  /** For nodes: the key; NULL: row i is node i. */
  void set_source_field(const char* field) { source_field_ = text_or_empty(field); }
  void set_target_field(const char* field) { target_field_ = text_or_empty(field); }
  void add_flags(uint32_t flags) { options_.flags |= flags; }
  void set_label(const char* label) { label_ = text_or_empty(label); }
  /** @param name, dtype, fill, mask  NULL: as in gls.h */
  void add_column(const char* field, const char* name, const char* dtype, const char* fill,
                  const char* mask, int32_t role, int32_t use) {
    columns_.push_back({text_or_empty(field), text_or_empty(name), text_or_empty(dtype),
                        text_or_empty(fill), text_or_empty(mask), role, use});
  }

#ifndef SWIG
  /** Calls `use` with the struct of gls.h. */
  template <typename Function>
  void with(Function&& use) const {
    gls_arrow_options_t out = options_;
    out.source_field = null_if_empty(source_field_);
    out.target_field = null_if_empty(target_field_);
    out.label = null_if_empty(label_);
    std::vector<gls_arrow_column_t> columns;
    for (const Column& column : columns_) {
      columns.push_back({column.field.c_str(), null_if_empty(column.name),
                         null_if_empty(column.dtype), null_if_empty(column.fill),
                         null_if_empty(column.mask), column.role, column.use});
    }
    out.columns = columns.data();
    out.num_columns = columns.size();
    use(out);
  }
#endif

 private:
  struct Column {
    std::string field;
    std::string name;
    std::string dtype;
    std::string fill;
    std::string mask;
    int32_t role;
    int32_t use;
  };
  gls_arrow_options_t options_ = GLS_ARROW_OPTIONS_INIT;
  std::string source_field_;
  std::string target_field_;
  std::string label_;
  std::vector<Column> columns_;
};

/** How the rows of a quantised column are packed, and what its codes stand for. */
class Quantization {
 public:
  /** @param width  numbers in a row; 0 to quantize() */
  Quantization(uint32_t bits, int64_t width) {
    options_.bits = bits;
    options_.width = width;
  }
  /** Codes are even steps from `low` to `high`. */
  void set_range(double low, double high) {
    options_.low = low;
    options_.high = high;
  }
  /** What the next code stands for. */
  void add_value(float value) { codebook_.push_back(value); }
  Tensor* quantize(const Tensor* numbers) const {
    const gls_quantization_options_t options = view();
    return new Tensor(own_tensor(
        [&](auto out, auto err) { return gls_quantize(&numbers->view(), &options, out, err); }));
  }

#ifndef SWIG
  /** Valid while this is unchanged. */
  gls_quantization_options_t view() const {
    gls_quantization_options_t out = options_;
    out.codebook = codebook_.empty() ? nullptr : codebook_.data();
    out.num_codebook = codebook_.size();
    return out;
  }
#endif

 private:
  gls_quantization_options_t options_ = GLS_QUANTIZATION_OPTIONS_INIT;
  std::vector<float> codebook_;
};

class Builder {
 public:
  explicit Builder(const Context* context) : builder_(context->impl()) {}
#ifndef SWIG
  explicit Builder(gls::Builder builder) : builder_(std::move(builder)) {}
#endif
  void add_node_type(const char* type, int64_t num_nodes, int32_t ids) {
    builder_.add_node_type(text_or_empty(type), num_nodes, ids);
  }
  void add_edges(const char* edge_type, const Tensor* source, const Tensor* target,
                 uint32_t flags) {
    builder_.add_edges(text_or_empty(edge_type), source->share(true), target->share(true), flags);
  }
  /** @param edge_ids  may be NULL */
  void add_topology(const char* edge_type, int32_t layout, const Tensor* indptr,
                    const Tensor* indices, const Tensor* edge_ids) {
    builder_.add_topology(text_or_empty(edge_type), static_cast<gls_layout_t>(layout),
                          indptr->share(true), indices->share(true),
                          edge_ids != nullptr ? edge_ids->share(true) : gls::Tensor());
  }
  void add_edges_text(const char* edge_type, const char* path, const TextOptions* options) {
    options->with([&](const auto& given) {
      builder_.add_edges_text(text_or_empty(edge_type), text_or_empty(path), given);
    });
  }
  void add_nodes_text(const char* type, const char* path, const TextOptions* options) {
    options->with([&](const auto& given) {
      builder_.add_nodes_text(text_or_empty(type), text_or_empty(path), given);
    });
  }
  /** @param stream  the address of an ArrowArrayStream, which is moved */
  void add_nodes_arrow(const char* type, int64_t stream, const ArrowOptions* options) {
    options->with([&](const gls_arrow_options_t& given) {
      builder_.add_nodes_arrow(text_or_empty(type), *arrow_at<ArrowArrayStream>(stream), given);
    });
  }
  /** @param stream  the address of an ArrowArrayStream, which is moved */
  void add_edges_arrow(const char* edge_type, int64_t stream, const ArrowOptions* options) {
    options->with([&](const gls_arrow_options_t& given) {
      builder_.add_edges_arrow(text_or_empty(edge_type), *arrow_at<ArrowArrayStream>(stream),
                               given);
    });
  }
  void add_node_column(const char* type, const char* name, int32_t role, const Tensor* tensor) {
    builder_.add_node_column(text_or_empty(type), text_or_empty(name), role, tensor->share(true));
  }
  void add_edge_column(const char* edge_type, const char* name, int32_t role,
                       const Tensor* tensor) {
    builder_.add_edge_column(text_or_empty(edge_type), text_or_empty(name), role,
                             tensor->share(true));
  }
  void add_node_codes(const char* type, const char* name, int32_t role, const Tensor* codes,
                      const Quantization* quantization) {
    builder_.add_node_codes(text_or_empty(type), text_or_empty(name), role, codes->share(true),
                            quantization->view());
  }
  void add_edge_codes(const char* edge_type, const char* name, int32_t role, const Tensor* codes,
                      const Quantization* quantization) {
    builder_.add_edge_codes(text_or_empty(edge_type), text_or_empty(name), role, codes->share(true),
                            quantization->view());
  }
  void add_id_set(const char* type, const char* name, const Tensor* ids) {
    builder_.add_id_set(text_or_empty(type), text_or_empty(name), ids->share(true));
  }
  Dataset* build(const WriteOptions* options, Progress* progress) {
    return new Dataset(builder_.build(options->with(progress)));
  }
  void write(const char* path, const WriteOptions* options, Progress* progress) {
    builder_.write(text_or_empty(path), options->with(progress));
  }

 private:
  gls::Builder builder_;
};

}  // namespace gls::facade

#endif  // GLS_SWIG_DATASET_HPP
