/** @file gls.hpp
 *  C++17 over gls.h: owners that release, errors that throw, nothing else. Every class is a thin
 *  shell around one handle; the C header documents what the calls do. Handles are move-only, except
 *  where noted; the thread marks of gls.h hold.
 */
#ifndef GLS_HPP
#define GLS_HPP

#include <gls.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace gls {

/** What a failed call says. */
class Error : public std::runtime_error {
 public:
  /** Takes `err`, which may be NULL. */
  Error(gls_status_t status, gls_error_t* err)
      : std::runtime_error(err != nullptr ? gls_error_message(err) : gls_status_name(status)),
        status_(status),
        error_(err, gls_error_release) {}
  gls_status_t status() const { return status_; }
  /** Empty when there is no such detail. */
  std::string detail(const char* key) const {
    const char* value = gls_error_detail(error_.get(), key);
    return value != nullptr ? value : "";
  }
  /** All details: keys and values. */
  std::vector<std::pair<std::string, std::string>> details() const {
    std::vector<std::pair<std::string, std::string>> out;
    for (size_t i = 0; const char* key = gls_error_detail_key(error_.get(), i); ++i) {
      out.emplace_back(key, detail(key));
    }
    return out;
  }

 private:
  gls_status_t status_;
  std::shared_ptr<gls_error_t> error_;
};

/** Throws when `status` is an error; returns it otherwise. `err` by reference: as an argument of
 *  the same call it is only set when the call has been made. */
inline gls_status_t check(gls_status_t status, gls_error_t*& err) {
  if (status < 0) {
    throw Error(status, std::exchange(err, nullptr));
  }
  return status;
}

namespace detail {
struct NotCopied {
  NotCopied() = default;
  NotCopied(const NotCopied&) = delete;
  NotCopied& operator=(const NotCopied&) = delete;
};

template <typename T, void (*kRelease)(T*)>
struct Releaser {
  void operator()(T* handle) const { kRelease(handle); }
};
template <typename T, void (*kRelease)(T*)>
using Handle = std::unique_ptr<T, Releaser<T, kRelease>>;

/** Calls f(&out, &err) and returns the checked handle. */
template <typename T, typename Function>
T* make(Function&& function) {
  T* out = nullptr;
  gls_error_t* err = nullptr;
  const gls_status_t status = function(&out, &err);
  check(status, err);
  return out;
}
template <typename Function>
gls_status_t call(Function&& function) {
  gls_error_t* err = nullptr;
  const gls_status_t status = function(&err);
  return check(status, err);
}
/** For calls that write a text into a buffer. */
template <typename Function>
std::string text(Function&& function) {
  std::string buffer(256, '\0');
  for (;;) {
    size_t length = 0;
    gls_error_t* err = nullptr;
    const gls_status_t status = function(&buffer[0], buffer.size(), &length, &err);
    if (status == GLS_ERR_INVALID_ARGUMENT && length >= buffer.size()) {
      gls_error_release(err);
      buffer.resize(length + 1);
      continue;
    }
    check(status, err);
    buffer.resize(length);
    return buffer;
  }
}
inline const char* or_null(const std::string& text) {
  return text.empty() ? nullptr : text.c_str();
}
/** Texts for C; they live as long as `texts`. */
inline std::vector<const char*> pointers(const std::vector<std::string>& texts) {
  std::vector<const char*> out;
  for (const std::string& text : texts) {
    out.push_back(text.c_str());
  }
  return out;
}

}  // namespace detail

/** An owned DLPack tensor. */
class Tensor {
 public:
  Tensor() = default;
  explicit Tensor(gls_tensor_t* taken) : handle_(taken) {}
  static Tensor map_npy(const std::string& path) {
    return Tensor(detail::make<gls_tensor_t>(
        [&](auto out, auto err) { return gls_tensor_map_npy(path.c_str(), out, err); }));
  }
  /** Memory of the caller that outlives the tensor, or that `destroy` releases, also after an
   * error. */
  static Tensor wrap(const DLTensor& view, bool read_only, void* user_data = nullptr,
                     gls_destroy_fn destroy = nullptr) {
    return Tensor(detail::make<gls_tensor_t>([&](auto out, auto err) {
      return gls_tensor_wrap(&view, read_only ? 1 : 0, user_data, destroy, out, err);
    }));
  }
  /** A row-major copy of a vector. */
  template <typename T>
  static Tensor copy(const std::vector<T>& values, DLDataType dtype) {
    auto* const owner = new std::vector<T>(values);
    int64_t shape = static_cast<int64_t>(owner->size());
    DLTensor view = {owner->data(), {kDLCPU, 0}, 1, dtype, &shape, nullptr, 0};
    return wrap(view, false, owner, [](void* data) { delete static_cast<std::vector<T>*>(data); });
  }

  const DLTensor& view() const { return handle_->dl_tensor; }
  bool read_only() const { return (handle_->flags & DLPACK_FLAG_BITMASK_READ_ONLY) != 0; }
  template <typename T>
  T* data() const {
    return reinterpret_cast<T*>(static_cast<char*>(view().data) + view().byte_offset);
  }
  int64_t size(int32_t dimension) const { return view().shape[dimension]; }
  /** Hands the memory to Arrow; see gls_tensor_to_arrow(). */
  void to_arrow(ArrowSchema* schema, ArrowArray* array) && {
    detail::call([&](auto err) { return gls_tensor_to_arrow(get(), schema, array, err); });
    release();
  }
  /** See gls_tensor_record_stream(). */
  void record_stream(void* stream) const {
    detail::call([&](auto err) { return gls_tensor_record_stream(get(), stream, err); });
  }
  explicit operator bool() const { return handle_ != nullptr; }
  gls_tensor_t* get() const { return handle_.get(); }
  gls_tensor_t* release() { return handle_.release(); }

 private:
  detail::Handle<gls_tensor_t, gls_tensor_release> handle_;
};

/** A GPU: see gls_device_get_info(), and gls_device_count() for how many there are. */
inline gls_device_info_t device_info(int32_t number) {
  gls_device_info_t out = GLS_INIT(gls_device_info_t);
  const DLDevice device = {kDLCUDA, number};
  detail::call([&](auto err) { return gls_device_get_info(device, &out, err); });
  return out;
}

class Context {
 public:
  explicit Context(uint32_t num_threads = 0) {
    gls_context_options_t options = GLS_CONTEXT_OPTIONS_INIT;
    options.num_threads = num_threads;
    reset(&options);
  }
  explicit Context(const gls_context_options_t& options) { reset(&options); }

  void set(const std::string& key, const std::string& value) {
    detail::call([&](auto err) { return gls_context_set(get(), key.c_str(), value.c_str(), err); });
  }
  std::string get(const std::string& key) const {
    return detail::text([&](char* buffer, size_t capacity, size_t* length, gls_error_t** err) {
      return gls_context_get(get(), key.c_str(), buffer, capacity, length, err);
    });
  }
  gls_context_t* get() const { return handle_.get(); }

 private:
  void reset(const gls_context_options_t* options) {
    handle_.reset(detail::make<gls_context_t>(
        [&](auto out, auto err) { return gls_context_create(options, out, err); }));
  }
  detail::Handle<gls_context_t, gls_context_release> handle_;
};

/** While one exists, `check` decides whether blocked calls of its thread end: see
 *  gls_thread_set_interrupt(). Scopes of a thread nest. */
class InterruptScope : detail::NotCopied {
 public:
  InterruptScope(gls_interrupt_fn check, void* user_data) noexcept {
    gls_thread_set_interrupt(check, user_data, &outer_, &outer_data_);
  }
  ~InterruptScope() { gls_thread_set_interrupt(outer_, outer_data_, nullptr, nullptr); }

 private:
  gls_interrupt_fn outer_ = nullptr;
  void* outer_data_ = nullptr;
};

/** The split of each id, uint8 [ids]. */
inline Tensor split_ids(const DLTensor& ids, uint64_t seed, const std::vector<double>& shares) {
  return Tensor(detail::make<gls_tensor_t>([&](auto out, auto err) {
    return gls_split_ids(&ids, seed, shares.data(), shares.size(), out, err);
  }));
}
/** Numbers packed as codes: uint8 [rows, ceil(width * bits / 8)]. */
inline Tensor quantize(const DLTensor& numbers, const gls_quantization_options_t& quantization) {
  return Tensor(detail::make<gls_tensor_t>(
      [&](auto out, auto err) { return gls_quantize(&numbers, &quantization, out, err); }));
}

/** The result of an asynchronous operation. */
class Future {
 public:
  explicit Future(gls_future_t* taken) : handle_(taken) {}
  /** Whether it is over in time; throws the error that it ended with. */
  bool wait(int64_t timeout_ms = GLS_TIMEOUT_DEFAULT) const {
    return detail::call([&](auto err) { return gls_future_wait(get(), timeout_ms, err); }) ==
           GLS_OK;
  }
  /** As gls_future_notify(): GLS_OK, or GLS_IN_PROGRESS when `ready` will be called. */
  gls_status_t notify(gls_ready_fn ready, void* user_data) {
    return detail::call([&](auto err) { return gls_future_notify(get(), ready, user_data, err); });
  }
  size_t count() const { return gls_future_count(get()); }
  Tensor bytes(size_t index = 0) const {
    return Tensor(detail::make<gls_tensor_t>(
        [&](auto out, auto err) { return gls_future_bytes(get(), index, out, err); }));
  }
  void cancel() { gls_future_cancel(get()); }
  gls_future_t* get() const { return handle_.get(); }

 private:
  detail::Handle<gls_future_t, gls_future_release> handle_;
};

/** A question to a store, which is answered once. For any thread. */
class Fetch {
 public:
  explicit Fetch(gls_fetch_t* taken) : handle_(taken) {}
  gls_fetch_info_t info() const {
    gls_fetch_info_t out = GLS_INIT(gls_fetch_info_t);
    detail::call([&](auto err) { return gls_fetch_get_info(get(), &out, err); });
    return out;
  }
  void rows_done() {
    detail::call([&](auto err) { return gls_fetch_rows_done(get(), err); });
  }
  /** `edge_ids` may be NULL. */
  void neighbors(const int64_t* counts, const int64_t* neighbors, const int64_t* edge_ids) {
    detail::call(
        [&](auto err) { return gls_fetch_neighbors(get(), counts, neighbors, edge_ids, err); });
  }
  void fail(gls_status_t status, const std::string& message) {
    detail::call([&](auto err) { return gls_fetch_fail(get(), status, message.c_str(), err); });
  }
  gls_fetch_t* get() const { return handle_.get(); }

 private:
  detail::Handle<gls_fetch_t, gls_fetch_release> handle_;
};

/** What answers for a column or for neighbours: see gls/store.h. */
class Store {
 public:
  static Store column(const Context& context, const gls_store_column_t& column,
                      const gls_store_options_t& options) {
    return Store(detail::make<gls_store_t>([&](auto out, auto err) {
      return gls_store_create_column(context.get(), &column, &options, out, err);
    }));
  }
  static Store neighbors(const Context& context, const gls_store_neighbors_t& neighbors,
                         const gls_store_options_t& options) {
    return Store(detail::make<gls_store_t>([&](auto out, auto err) {
      return gls_store_create_neighbors(context.get(), &neighbors, &options, out, err);
    }));
  }
  gls_store_stats_t stats() const {
    gls_store_stats_t out = GLS_INIT(gls_store_stats_t);
    detail::call([&](auto err) { return gls_store_get_stats(get(), &out, err); });
    return out;
  }
  gls_store_t* get() const { return handle_.get(); }

 private:
  explicit Store(gls_store_t* taken) : handle_(taken) {}

  detail::Handle<gls_store_t, gls_store_release> handle_;
};

class Dataset {
 public:
  explicit Dataset(gls_dataset_t* taken) : handle_(taken) {}
  static Dataset open(const Context& context, const std::string& path,
                      const gls_dataset_options_t& options = GLS_DATASET_OPTIONS_INIT) {
    return Dataset(detail::make<gls_dataset_t>([&](auto out, auto err) {
      return gls_dataset_open(context.get(), path.c_str(), &options, out, err);
    }));
  }
  /** With the columns and edge types of stores: see gls_dataset_with_stores(). */
  Dataset with_stores(const std::vector<const Store*>& stores) const {
    std::vector<gls_store_t*> handles;
    for (const Store* store : stores) {
      handles.push_back(store->get());
    }
    return Dataset(detail::make<gls_dataset_t>([&](auto out, auto err) {
      return gls_dataset_with_stores(get(), handles.data(), handles.size(), out, err);
    }));
  }
  /** The same dataset, working on a device: see gls_dataset_on_device(). */
  Dataset on_device(DLDevice device) const {
    return Dataset(detail::make<gls_dataset_t>(
        [&](auto out, auto err) { return gls_dataset_on_device(get(), device, out, err); }));
  }
  DLDevice device() const {
    DLDevice out{};
    detail::call([&](auto err) { return gls_dataset_device(get(), &out, err); });
    return out;
  }

  std::vector<gls_node_type_info_t> node_types() const {
    return list<gls_node_type_info_t>(gls_dataset_num_node_types(get()),
                                      gls_dataset_get_node_type_info);
  }
  std::vector<gls_edge_type_info_t> edge_types() const {
    return list<gls_edge_type_info_t>(gls_dataset_num_edge_types(get()),
                                      gls_dataset_get_edge_type_info);
  }
  int64_t num_nodes(const std::string& type = {}) const {
    return gls_dataset_num_nodes(get(), detail::or_null(type));
  }
  int64_t num_edges(const std::string& type = {}) const {
    return gls_dataset_num_edges(get(), detail::or_null(type));
  }
  gls_column_info_t node_column(const std::string& type, size_t index) const {
    return describe<gls_column_info_t>(gls_dataset_get_node_column_info, type, index);
  }
  gls_column_info_t edge_column(const std::string& type, size_t index) const {
    return describe<gls_column_info_t>(gls_dataset_get_edge_column_info, type, index);
  }
  gls_id_set_info_t id_set(const std::string& type, size_t index) const {
    return describe<gls_id_set_info_t>(gls_dataset_get_id_set_info, type, index);
  }
  /** `type` and `name` may be empty, as gls_dataset_tensor() takes NULL. */
  Tensor tensor(gls_dataset_array_t array, const std::string& type, const std::string& name) const {
    return Tensor(detail::make<gls_tensor_t>([&](auto out, auto err) {
      return gls_dataset_tensor(get(), array, detail::or_null(type), detail::or_null(name), out,
                                err);
    }));
  }
  int64_t find_node(const std::string& type, const std::string& key) const {
    int64_t id = -1;
    detail::call([&](auto err) {
      return gls_dataset_find_node(get(), detail::or_null(type), key.c_str(), &id, err);
    });
    return id;
  }
  std::string node_key(const std::string& type, int64_t node) const {
    return detail::text([&](char* buffer, size_t capacity, size_t* length, gls_error_t** err) {
      return gls_dataset_node_key(get(), detail::or_null(type), node, buffer, capacity, length,
                                  err);
    });
  }
  /** Sources and targets, int64 [edges]. */
  std::pair<Tensor, Tensor> find_edges(const std::string& edge_type, const DLTensor& edges) const {
    gls_tensor_t* source = nullptr;
    gls_tensor_t* target = nullptr;
    detail::call([&](auto err) {
      return gls_dataset_find_edges(get(), detail::or_null(edge_type), &edges, &source, &target,
                                    err);
    });
    return {Tensor(source), Tensor(target)};
  }
  /** bool [pairs]. */
  Tensor has_edges(const std::string& edge_type, const DLTensor& source,
                   const DLTensor& target) const {
    return Tensor(detail::make<gls_tensor_t>([&](auto out, auto err) {
      return gls_dataset_has_edges(get(), detail::or_null(edge_type), &source, &target, out, err);
    }));
  }
  /** int64; `nodes` may be NULL: all. */
  Tensor degrees(const std::string& edge_type, gls_direction_t direction,
                 const DLTensor* nodes) const {
    return Tensor(detail::make<gls_tensor_t>([&](auto out, auto err) {
      return gls_dataset_degrees(get(), detail::or_null(edge_type), direction, nodes, out, err);
    }));
  }
  /** Rows of a column by id: [ids, ...]. `type` is a node or edge type. */
  Tensor rows(const std::string& type, const std::string& column, const DLTensor& ids) const {
    return Tensor(detail::make<gls_tensor_t>([&](auto out, auto err) {
      return gls_dataset_rows(get(), detail::or_null(type), column.c_str(), &ids, out, err);
    }));
  }
  /** The part that owns each node or edge: int32 [ids]. */
  Tensor owners(const std::string& type, const DLTensor& ids) const {
    return Tensor(detail::make<gls_tensor_t>([&](auto out, auto err) {
      return gls_dataset_owners(get(), detail::or_null(type), &ids, out, err);
    }));
  }
  /** A trainer's share of ids, with as many of its own part as fit: int64. `ids` NULL: all. */
  Tensor share_ids(const std::string& type, const DLTensor* ids, uint32_t rank, uint32_t world_size,
                   const DLTensor* rank_parts = nullptr) const {
    return Tensor(detail::make<gls_tensor_t>([&](auto out, auto err) {
      return gls_dataset_share_ids(get(), detail::or_null(type), ids, rank, world_size, rank_parts,
                                   out, err);
    }));
  }
  /** Links of a split, and the edges its sampler must exclude: int64. */
  std::pair<Tensor, Tensor> split_links(const std::string& edge_type,
                                        const gls_link_split_options_t& options,
                                        gls_split_t split) const {
    gls_tensor_t* links = nullptr;
    gls_tensor_t* exclude = nullptr;
    detail::call([&](auto err) {
      return gls_dataset_split_links(get(), detail::or_null(edge_type), &options, split, &links,
                                     &exclude, err);
    });
    return {Tensor(links), Tensor(exclude)};
  }
  /** Of a graph that is served: calls a function of a server that has this part. */
  Future call(uint32_t part, const std::string& function, const void* data, size_t size,
              int64_t timeout_ms = GLS_TIMEOUT_DEFAULT,
              const gls_call_options_t& options = GLS_CALL_OPTIONS_INIT) const {
    return Future(detail::make<gls_future_t>([&](auto out, auto err) {
      return gls_dataset_call(get(), part, function.c_str(), data, size, timeout_ms, &options, out,
                              err);
    }));
  }
  void verify(const gls_verify_options_t& options = GLS_VERIFY_OPTIONS_INIT) const {
    detail::call([&](auto err) { return gls_dataset_verify(get(), &options, err); });
  }
  /** See gls_dataset_nodes_to_arrow(); an empty type is the only one. */
  void nodes_to_arrow(const std::string& type, ArrowArrayStream* out) const {
    detail::call([&](auto err) {
      return gls_dataset_nodes_to_arrow(get(), detail::or_null(type), out, err);
    });
  }
  /** See gls_dataset_edges_to_arrow(); an empty type is the only one. */
  void edges_to_arrow(const std::string& edge_type, ArrowArrayStream* out) const {
    detail::call([&](auto err) {
      return gls_dataset_edges_to_arrow(get(), detail::or_null(edge_type), out, err);
    });
  }
  /** See gls_dataset_export(); `options` may set `overwrite` and `progress`. */
  void export_to(const std::string& format, const std::string& path,
                 const std::vector<std::string>& choices = {},
                 gls_export_options_t options = GLS_EXPORT_OPTIONS_INIT) const {
    const std::vector<const char*> named = detail::pointers(choices);
    options.choices = named.data();
    options.num_choices = named.size();
    detail::call([&](auto err) {
      return gls_dataset_export(get(), format.c_str(), path.c_str(), &options, err);
    });
  }
  void save(const std::string& path,
            const gls_write_options_t& options = GLS_WRITE_OPTIONS_INIT) const {
    detail::call([&](auto err) { return gls_dataset_save(get(), path.c_str(), &options, err); });
  }
  /** Cuts the graph into parts, in a new folder. */
  void partition(const std::string& path, const gls_partition_options_t& options) const {
    detail::call(
        [&](auto err) { return gls_dataset_partition(get(), path.c_str(), &options, err); });
  }
  /** Which part of a graph this is; `parts` is 0: none. */
  gls_part_info_t part() const {
    gls_part_info_t out = GLS_INIT(gls_part_info_t);
    detail::call([&](auto err) { return gls_dataset_get_part_info(get(), &out, err); });
    return out;
  }
  /** How many parts the graph has, and which of them are local: int64. */
  std::pair<uint32_t, Tensor> parts() const {
    uint32_t count = 0;
    Tensor local(detail::make<gls_tensor_t>(
        [&](auto out, auto err) { return gls_dataset_parts(get(), &count, out, err); }));
    return {count, std::move(local)};
  }
  /** The global ids of the ids of a part, int64, and how many are owned, which come first. */
  std::pair<Tensor, int64_t> global_ids(const std::string& type) const {
    int64_t owned = 0;
    Tensor ids(detail::make<gls_tensor_t>([&](auto out, auto err) {
      return gls_dataset_global_ids(get(), detail::or_null(type), out, &owned, err);
    }));
    return {std::move(ids), owned};
  }
  gls_dataset_t* get() const { return handle_.get(); }

 private:
  template <typename Info, typename Function>
  std::vector<Info> list(size_t count, Function function) const {
    std::vector<Info> out(count, GLS_INIT(Info));
    for (size_t i = 0; i < count; ++i) {
      detail::call([&](auto err) { return function(get(), i, &out[i], err); });
    }
    return out;
  }
  template <typename Info, typename Function>
  Info describe(Function function, const std::string& type, size_t index) const {
    Info out = GLS_INIT(Info);
    detail::call(
        [&](auto err) { return function(get(), detail::or_null(type), index, &out, err); });
    return out;
  }
  detail::Handle<gls_dataset_t, gls_dataset_release> handle_;
};

/** A folder of parts of a graph. */
class Partition {
 public:
  explicit Partition(gls_partition_t* taken) : handle_(taken) {}
  static Partition open(const Context& context, const std::string& path) {
    return Partition(detail::make<gls_partition_t>([&](auto out, auto err) {
      return gls_partition_open(context.get(), path.c_str(), out, err);
    }));
  }

  gls_partition_info_t info() const {
    gls_partition_info_t out = GLS_INIT(gls_partition_info_t);
    detail::call([&](auto err) { return gls_partition_get_info(get(), &out, err); });
    return out;
  }
  gls_partition_type_info_t node_type(size_t index) const { return type(0, index); }
  gls_partition_type_info_t edge_type(size_t index) const { return type(1, index); }
  /** The part that owns each node, int32. */
  Tensor owners(const std::string& node_type, const DLTensor& ids) const {
    return Tensor(detail::make<gls_tensor_t>([&](auto out, auto err) {
      return gls_partition_owners(get(), detail::or_null(node_type), &ids, out, err);
    }));
  }
  void merge(const std::string& path,
             const gls_write_options_t& options = GLS_WRITE_OPTIONS_INIT) const {
    detail::call([&](auto err) { return gls_partition_merge(get(), path.c_str(), &options, err); });
  }
  void verify(const gls_verify_options_t& options = GLS_VERIFY_OPTIONS_INIT) const {
    detail::call([&](auto err) { return gls_partition_verify(get(), &options, err); });
  }
  gls_partition_t* get() const { return handle_.get(); }

 private:
  gls_partition_type_info_t type(int32_t edges, size_t index) const {
    gls_partition_type_info_t out = GLS_INIT(gls_partition_type_info_t);
    detail::call(
        [&](auto err) { return gls_partition_get_type_info(get(), edges, index, &out, err); });
    return out;
  }
  detail::Handle<gls_partition_t, gls_partition_release> handle_;
};

/** Serves parts of a graph until it is stopped or goes. */
class Server {
 public:
  Server(const Context& context, const std::string& path,
         const gls_server_options_t& options = GLS_SERVER_OPTIONS_INIT)
      : handle_(detail::make<gls_server_t>([&](auto out, auto err) {
          return gls_server_start(context.get(), path.c_str(), &options, out, err);
        })) {}
  std::string address() const { return gls_server_address(get()); }
  /** Gives requests in progress this long to end. */
  void stop(int64_t timeout_ms) {
    detail::call([&](auto err) { return gls_server_stop(get(), timeout_ms, err); });
  }
  gls_server_info_t info() const {
    gls_server_info_t out = GLS_INIT(gls_server_info_t);
    detail::call([&](auto err) { return gls_server_get_info(get(), &out, err); });
    return out;
  }
  void function(const std::string& name, gls_function_fn callback, void* user_data,
                gls_destroy_fn destroy) {
    detail::call([&](auto err) {
      return gls_server_function(get(), name.c_str(), callback, user_data, destroy, err);
    });
  }
  gls_server_t* get() const { return handle_.get(); }

 private:
  detail::Handle<gls_server_t, gls_server_release> handle_;
};

/** The description of one server by itself. */
class Probe {
 public:
  /** Fails if it does not serve. */
  Probe(const Context& context, const std::string& address,
        int64_t timeout_ms = GLS_TIMEOUT_DEFAULT)
      : handle_(detail::make<gls_probe_t>([&](auto out, auto err) {
          return gls_server_probe(context.get(), address.c_str(), timeout_ms, out, err);
        })) {}
  /** Pointers live as long as this. */
  gls_probe_info_t info() const {
    gls_probe_info_t out = GLS_INIT(gls_probe_info_t);
    detail::call([&](auto err) { return gls_probe_get_info(get(), &out, err); });
    return out;
  }
  gls_probe_t* get() const { return handle_.get(); }

 private:
  detail::Handle<gls_probe_t, gls_probe_release> handle_;
};

/** Tensors given to a builder are taken only when the call succeeds; otherwise they stay. */
/** A stream of Arrow batches, released at the end. See gls_builder_add_nodes_arrow(). */
class ArrowStream {
 public:
  /** Parquet and Arrow files: see gls_arrow_open_files(). */
  ArrowStream(const Context& context, const std::vector<std::string>& paths,
              const std::vector<std::string>& fields = {}, uint32_t num_threads = 0) {
    const std::vector<const char*> named_paths = detail::pointers(paths);
    const std::vector<const char*> named_fields = detail::pointers(fields);
    gls_arrow_files_options_t options = GLS_ARROW_FILES_OPTIONS_INIT;
    options.fields = named_fields.data();
    options.num_fields = named_fields.size();
    options.num_threads = num_threads;
    detail::call([&](auto err) {
      return gls_arrow_open_files(context.get(), named_paths.data(), named_paths.size(), &options,
                                  &stream_, err);
    });
  }
  ~ArrowStream() {
    if (stream_.release != nullptr) {
      stream_.release(&stream_);
    }
  }
  ArrowStream(ArrowStream&&) = delete;  // and so it cannot be copied
  ArrowArrayStream& get() { return stream_; }

 private:
  ArrowArrayStream stream_{};
};

/** Which files make a dataset; needs the plugin libgls_formats.so. */
class Recipe {
 public:
  /** See gls_recipe_create(). */
  Recipe(const Context& context, const std::string& text, const std::string& folder)
      : handle_(detail::make<gls_recipe_t>([&](auto out, auto err) {
          return gls_recipe_create(context.get(), text.c_str(), detail::or_null(folder), out, err);
        })) {}
  /** See gls_recipe_of_format(). */
  static Recipe of_format(const Context& context, const std::string& format,
                          const std::string& path, const std::vector<std::string>& choices = {}) {
    const std::vector<const char*> named = detail::pointers(choices);
    gls_recipe_options_t options = GLS_RECIPE_OPTIONS_INIT;
    options.choices = named.data();
    options.num_choices = named.size();
    return Recipe(detail::make<gls_recipe_t>([&](auto out, auto err) {
      return gls_recipe_of_format(context.get(), format.c_str(), path.c_str(), &options, out, err);
    }));
  }
  std::string text() const { return gls_recipe_text(get()); }
  const gls_recipe_t* get() const { return handle_.get(); }

 private:
  explicit Recipe(gls_recipe_t* taken) : handle_(taken) {}

  detail::Handle<gls_recipe_t, gls_recipe_release> handle_;
};

class Builder {
 public:
  explicit Builder(const Context& context)
      : handle_(detail::make<gls_builder_t>(
            [&](auto out, auto err) { return gls_builder_create(context.get(), out, err); })) {}
  explicit Builder(const Recipe& recipe)
      : handle_(detail::make<gls_builder_t>(
            [&](auto out, auto err) { return gls_recipe_to_builder(recipe.get(), out, err); })) {}

  void add_node_type(const std::string& type, int64_t num_nodes = 0,
                     gls_ids_t ids = GLS_IDS_DENSE) {
    gls_node_type_options_t options = GLS_NODE_TYPE_OPTIONS_INIT;
    options.num_nodes = num_nodes;
    options.ids = ids;
    detail::call(
        [&](auto err) { return gls_builder_add_node_type(get(), type.c_str(), &options, err); });
  }
  void add_edges(const std::string& edge_type, Tensor source, Tensor target, uint32_t flags = 0) {
    gls_edge_type_options_t options = GLS_EDGE_TYPE_OPTIONS_INIT;
    options.flags = flags;
    detail::call([&](auto err) {
      return gls_builder_add_edges(get(), edge_type.c_str(), source.get(), target.get(), &options,
                                   err);
    });
    source.release();
    target.release();
  }
  /** `edge_ids` may be empty. */
  void add_topology(const std::string& edge_type, gls_layout_t layout, Tensor indptr,
                    Tensor indices, Tensor edge_ids = Tensor()) {
    detail::call([&](auto err) {
      return gls_builder_add_topology(get(), edge_type.c_str(), layout, indptr.get(), indices.get(),
                                      edge_ids.get(), err);
    });
    indptr.release();
    indices.release();
    edge_ids.release();
  }
  void add_edges_text(const std::string& edge_type, const std::string& path,
                      const gls_text_options_t& options = GLS_TEXT_OPTIONS_INIT) {
    detail::call([&](auto err) {
      return gls_builder_add_edges_text(get(), edge_type.c_str(), path.c_str(), &options, err);
    });
  }
  void add_nodes_text(const std::string& type, const std::string& path,
                      const gls_text_options_t& options = GLS_TEXT_OPTIONS_INIT) {
    detail::call([&](auto err) {
      return gls_builder_add_nodes_text(get(), type.c_str(), path.c_str(), &options, err);
    });
  }
  /** Moves the stream; see gls_builder_add_nodes_arrow(). */
  void add_nodes_arrow(const std::string& type, ArrowArrayStream& stream,
                       const gls_arrow_options_t& options = GLS_ARROW_OPTIONS_INIT) {
    detail::call([&](auto err) {
      return gls_builder_add_nodes_arrow(get(), type.c_str(), &stream, &options, err);
    });
  }
  /** Moves the stream; see gls_builder_add_edges_arrow(). */
  void add_edges_arrow(const std::string& edge_type, ArrowArrayStream& stream,
                       const gls_arrow_options_t& options = GLS_ARROW_OPTIONS_INIT) {
    detail::call([&](auto err) {
      return gls_builder_add_edges_arrow(get(), edge_type.c_str(), &stream, &options, err);
    });
  }
  void add_node_column(const std::string& type, const std::string& name, gls_role_t role,
                       Tensor tensor) {
    detail::call([&](auto err) {
      return gls_builder_add_node_column(get(), type.c_str(), name.c_str(), role, tensor.get(),
                                         err);
    });
    tensor.release();
  }
  void add_edge_column(const std::string& edge_type, const std::string& name, gls_role_t role,
                       Tensor tensor) {
    detail::call([&](auto err) {
      return gls_builder_add_edge_column(get(), edge_type.c_str(), name.c_str(), role, tensor.get(),
                                         err);
    });
    tensor.release();
  }
  void add_node_codes(const std::string& type, const std::string& name, gls_role_t role,
                      Tensor codes, const gls_quantization_options_t& quantization) {
    detail::call([&](auto err) {
      return gls_builder_add_node_codes(get(), type.c_str(), name.c_str(), role, codes.get(),
                                        &quantization, err);
    });
    codes.release();
  }
  void add_edge_codes(const std::string& edge_type, const std::string& name, gls_role_t role,
                      Tensor codes, const gls_quantization_options_t& quantization) {
    detail::call([&](auto err) {
      return gls_builder_add_edge_codes(get(), edge_type.c_str(), name.c_str(), role, codes.get(),
                                        &quantization, err);
    });
    codes.release();
  }
  void add_id_set(const std::string& type, const std::string& name, Tensor ids) {
    detail::call([&](auto err) {
      return gls_builder_add_id_set(get(), type.c_str(), name.c_str(), ids.get(), err);
    });
    ids.release();
  }
  Dataset build(const gls_write_options_t& options = GLS_WRITE_OPTIONS_INIT) {
    return Dataset(detail::make<gls_dataset_t>(
        [&](auto out, auto err) { return gls_builder_build(get(), &options, out, err); }));
  }
  void write(const std::string& path, const gls_write_options_t& options = GLS_WRITE_OPTIONS_INIT) {
    detail::call([&](auto err) { return gls_builder_write(get(), path.c_str(), &options, err); });
  }
  gls_builder_t* get() const { return handle_.get(); }

 private:
  detail::Handle<gls_builder_t, gls_builder_release> handle_;
};

class Batch {
 public:
  explicit Batch(gls_batch_t* taken) : handle_(taken) {}
  gls_batch_info_t info() const {
    gls_batch_info_t out = GLS_INIT(gls_batch_info_t);
    detail::call([&](auto err) { return gls_batch_get_info(get(), &out, err); });
    return out;
  }
  std::vector<gls_array_info_t> arrays() const {
    std::vector<gls_array_info_t> out(gls_batch_num_arrays(get()), GLS_INIT(gls_array_info_t));
    for (size_t i = 0; i < out.size(); ++i) {
      detail::call([&](auto err) { return gls_batch_get_array_info(get(), i, &out[i], err); });
    }
    return out;
  }
  Tensor tensor(gls_batch_array_t array, const std::string& type = {},
                const std::string& name = {}) const {
    return Tensor(detail::make<gls_tensor_t>([&](auto out, auto err) {
      return gls_batch_tensor(get(), array, detail::or_null(type), detail::or_null(name), out, err);
    }));
  }
  /** GLS_BLOCK_* of one layer. */
  Tensor block_tensor(uint64_t layer, gls_block_array_t array, const std::string& type = {}) const {
    return Tensor(detail::make<gls_tensor_t>([&](auto out, auto err) {
      return gls_batch_block_tensor(get(), layer, array, detail::or_null(type), out, err);
    }));
  }
  /** See gls_batch_record_stream(). */
  void record_stream(void* stream) const {
    detail::call([&](auto err) { return gls_batch_record_stream(get(), stream, err); });
  }
  /** The same batch with its arrays in memory of the host. */
  Batch to_host() const {
    return Batch(detail::make<gls_batch_t>(
        [&](auto out, auto err) { return gls_batch_to_host(get(), out, err); }));
  }
  /** In a gls_transform_fn: the tensor is taken. */
  void attach(const std::string& name, Tensor tensor) {
    detail::call(
        [&](auto err) { return gls_batch_attach(get(), name.c_str(), tensor.get(), err); });
    static_cast<void>(tensor.release());
  }
  gls_batch_t* get() const { return handle_.get(); }

 private:
  detail::Handle<gls_batch_t, gls_batch_release> handle_;
};

class Sampler {
 public:
  Sampler(const Dataset& dataset, const gls_sampler_options_t& options)
      : handle_(detail::make<gls_sampler_t>([&](auto out, auto err) {
          return gls_sampler_create(dataset.get(), &options, out, err);
        })) {}
  Batch sample(const gls_sample_request_t& request) const {
    return Batch(detail::make<gls_batch_t>(
        [&](auto out, auto err) { return gls_sampler_sample(get(), &request, out, err); }));
  }
  DLDevice device() const {
    DLDevice out{};
    detail::call([&](auto err) { return gls_sampler_device(get(), &out, err); });
    return out;
  }
  gls_sampler_t* get() const { return handle_.get(); }

 private:
  detail::Handle<gls_sampler_t, gls_sampler_release> handle_;
};

class Loader {
 public:
  /** `seeds` may be empty: options.id_set, or all nodes. */
  Loader(const Sampler& sampler, Tensor seeds,
         const gls_loader_options_t& options = GLS_LOADER_OPTIONS_INIT)
      : handle_(detail::make<gls_loader_t>([&](auto out, auto err) {
          return gls_loader_create(sampler.get(), seeds.get(), &options, out, err);
        })) {
    seeds.release();
  }
  explicit Loader(gls_loader_t* taken) : handle_(taken) {}
  /** A loader whose batches feeds make, in other processes. */
  static Loader attach(const Context& context, const std::vector<std::string>& feeds,
                       const gls_attach_options_t& options = GLS_ATTACH_OPTIONS_INIT,
                       int64_t timeout_ms = GLS_TIMEOUT_DEFAULT) {
    std::vector<const char*> paths;
    for (const std::string& path : feeds) {
      paths.push_back(path.c_str());
    }
    gls_attach_options_t given = options;
    given.paths = paths.data();
    given.num_paths = paths.size();
    return Loader(detail::make<gls_loader_t>([&](auto out, auto err) {
      return gls_feed_attach(context.get(), &given, timeout_ms, out, err);
    }));
  }
  /** What its batches are of; of an attached loader the types alone. */
  Dataset dataset() const {
    return Dataset(detail::make<gls_dataset_t>(
        [&](auto out, auto err) { return gls_loader_dataset(get(), out, err); }));
  }
  /** Waits for the next batch; empty at the end of the epoch. */
  std::optional<Batch> next() {
    std::optional<Batch> out;
    next(-1, &out);
    return out;
  }
  /** As gls_loader_next(): GLS_OK with *out set, GLS_IN_PROGRESS or GLS_END. */
  gls_status_t next(int64_t timeout_ms, std::optional<Batch>* out) {
    gls_batch_t* batch = nullptr;
    const gls_status_t state =
        detail::call([&](auto err) { return gls_loader_next(get(), timeout_ms, &batch, err); });
    if (state == GLS_OK) {
      out->emplace(batch);
    }
    return state;
  }
  /** As gls_loader_notify(): GLS_OK, or GLS_IN_PROGRESS when `ready` will be called. */
  gls_status_t notify(gls_ready_fn ready, void* user_data) {
    return detail::call([&](auto err) { return gls_loader_notify(get(), ready, user_data, err); });
  }
  void seek(uint64_t epoch) {
    detail::call([&](auto err) { return gls_loader_seek(get(), epoch, err); });
  }
  /** [any] A batch by its number, without moving the loader. */
  Batch sample(uint64_t epoch, uint64_t batch) const {
    return Batch(detail::make<gls_batch_t>(
        [&](auto out, auto err) { return gls_loader_sample(get(), epoch, batch, out, err); }));
  }
  /** [any] GraphSAINT's norms of nodes and of edges: float32; empty where not wanted. */
  std::pair<Tensor, Tensor> saint_norms(const gls_norm_options_t& options, bool of_nodes = true,
                                        bool of_edges = true) const {
    gls_tensor_t* node_norm = nullptr;
    gls_tensor_t* edge_norm = nullptr;
    detail::call([&](auto err) {
      return gls_loader_saint_norms(get(), &options, of_nodes ? &node_norm : nullptr,
                                    of_edges ? &edge_norm : nullptr, err);
    });
    return {Tensor(node_norm), Tensor(edge_norm)};
  }
  /** [any] As gls_loader_plan(): JSON text. */
  std::string plan(const gls_plan_options_t& options) const {
    gls_tensor_t* json = nullptr;
    detail::call([&](auto err) { return gls_loader_plan(get(), &options, &json, err); });
    const Tensor text(json);
    return std::string(text.data<const char>(), static_cast<size_t>(text.size(0)));
  }
  void cancel() { gls_loader_cancel(get()); }
  gls_loader_info_t info() const {
    gls_loader_info_t out = GLS_INIT(gls_loader_info_t);
    detail::call([&](auto err) { return gls_loader_get_info(get(), &out, err); });
    return out;
  }
  /** Rows to which arrays of a node or edge type are padded. */
  int64_t pad_size(const std::string& type) const {
    int64_t rows = 0;
    detail::call([&](auto err) { return gls_loader_pad_size(get(), type.c_str(), &rows, err); });
    return rows;
  }
  gls_loader_stats_t stats() const {
    gls_loader_stats_t out = GLS_INIT(gls_loader_stats_t);
    detail::call([&](auto err) { return gls_loader_get_stats(get(), &out, err); });
    return out;
  }
  std::string save() const {
    return detail::text([&](char* buffer, size_t capacity, size_t* length, gls_error_t** err) {
      return gls_loader_save(get(), buffer, capacity, length, err);
    });
  }
  void restore(const std::string& state) {
    detail::call([&](auto err) { return gls_loader_restore(get(), state.c_str(), err); });
  }
  gls_loader_t* get() const { return handle_.get(); }

 private:
  detail::Handle<gls_loader_t, gls_loader_release> handle_;
};

/** Serves the batches of a loader to trainers in other processes. */
class Feed {
 public:
  Feed(const Loader& loader, const gls_feed_options_t& options)
      : handle_(detail::make<gls_feed_t>([&](auto out, auto err) {
          return gls_feed_create(loader.get(), &options, out, err);
        })) {}
  /** Whether trainers were attached and none is any more. Negative: without limit. */
  bool wait(int64_t timeout_ms) {
    return detail::call([&](auto err) { return gls_feed_wait(get(), timeout_ms, err); }) == GLS_OK;
  }
  gls_feed_info_t info() const {
    gls_feed_info_t out = GLS_INIT(gls_feed_info_t);
    detail::call([&](auto err) { return gls_feed_get_info(get(), &out, err); });
    return out;
  }
  gls_feed_t* get() const { return handle_.get(); }

 private:
  detail::Handle<gls_feed_t, gls_feed_release> handle_;
};

/** A call of a function of this process, to be answered once. */
class Call {
 public:
  explicit Call(gls_call_t* taken) : handle_(taken) {}
  gls_call_info_t info() const {
    gls_call_info_t out = GLS_INIT(gls_call_info_t);
    detail::call([&](auto err) { return gls_call_get_info(get(), &out, err); });
    return out;
  }
  void reply(const void* data, size_t size) {
    detail::call([&](auto err) { return gls_call_reply(get(), data, size, err); });
  }
  void fail(gls_status_t status, const std::string& message) {
    detail::call([&](auto err) { return gls_call_fail(get(), status, message.c_str(), err); });
  }
  gls_call_t* get() const { return handle_.get(); }

 private:
  detail::Handle<gls_call_t, gls_call_release> handle_;
};

/** This process among those that were started together. */
class Group {
 public:
  explicit Group(const Context& context,
                 const gls_group_options_t& options = GLS_GROUP_OPTIONS_INIT,
                 int64_t timeout_ms = GLS_TIMEOUT_DEFAULT)
      : handle_(detail::make<gls_group_t>([&](auto out, auto err) {
          return gls_group_join(context.get(), &options, timeout_ms, out, err);
        })) {}
  void leave(int64_t timeout_ms) {
    detail::call([&](auto err) { return gls_group_leave(get(), timeout_ms, err); });
  }
  gls_group_info_t info() const {
    gls_group_info_t out = GLS_INIT(gls_group_info_t);
    detail::call([&](auto err) { return gls_group_get_info(get(), &out, err); });
    return out;
  }
  gls_member_info_t member(uint32_t rank) const {
    gls_member_info_t out = GLS_INIT(gls_member_info_t);
    detail::call([&](auto err) { return gls_group_get_member_info(get(), rank, &out, err); });
    return out;
  }
  Future barrier(int64_t timeout_ms) {
    return Future(detail::make<gls_future_t>(
        [&](auto out, auto err) { return gls_group_barrier(get(), timeout_ms, out, err); }));
  }
  Future all_gather(const void* data, size_t size, int64_t timeout_ms) {
    return Future(detail::make<gls_future_t>([&](auto out, auto err) {
      return gls_group_all_gather(get(), data, size, timeout_ms, out, err);
    }));
  }
  void function(const std::string& name, gls_function_fn callback, void* user_data,
                gls_destroy_fn destroy) {
    detail::call([&](auto err) {
      return gls_group_function(get(), name.c_str(), callback, user_data, destroy, err);
    });
  }
  Future call(uint32_t rank, const std::string& function, const void* data, size_t size,
              int64_t timeout_ms = GLS_TIMEOUT_DEFAULT,
              const gls_call_options_t& options = GLS_CALL_OPTIONS_INIT) {
    return Future(detail::make<gls_future_t>([&](auto out, auto err) {
      return gls_group_call(get(), rank, function.c_str(), data, size, timeout_ms, &options, out,
                            err);
    }));
  }
  gls_group_t* get() const { return handle_.get(); }

 private:
  detail::Handle<gls_group_t, gls_group_release> handle_;
};

}  // namespace gls

#endif  // GLS_HPP
