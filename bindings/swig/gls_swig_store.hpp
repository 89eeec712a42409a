/** @file gls_swig_store.hpp
 *  Part of gls_swig.hpp: columns and neighbours that the caller's code answers.
 */
#ifndef GLS_SWIG_STORE_HPP
#define GLS_SWIG_STORE_HPP

#include <cstdint>
#include <limits>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gls_swig_context.hpp"
#include "gls_swig_mailbox.hpp"
#include "gls_swig_tensor.hpp"

namespace gls::facade {

/** A question of the library to a store, which is answered once. For any thread. */
class FetchTask {
 public:
  /** Node or edge ids [n], read-only; they may outlive this. */
  Tensor* ids() const {
    const gls_fetch_info_t info = fetch_->info();
    return view(const_cast<int64_t*>(info.ids), {kDLInt, 64, 1},
                {static_cast<int64_t>(info.num_ids)}, true);
  }
  /** Where the rows belong: uint8 [n, bytes of a row]. It may outlive this. */
  Tensor* rows() const {
    const gls_fetch_info_t info = fetch_->info();
    return view(info.rows, {kDLUInt, 8, 1},
                {static_cast<int64_t>(info.num_ids), static_cast<int64_t>(info.row_bytes)}, false);
  }
  /** -1: without limit. */
  int64_t remaining_ms() const { return fetch_->info().remaining_ms; }
  bool canceled() const { return fetch_->info().canceled != 0; }
  void rows_done() { fetch_->rows_done(); }
  /** @param counts, neighbors, edge_ids  contiguous int64; the last may be NULL */
  void neighbors(const Tensor* counts, const Tensor* neighbors, const Tensor* edge_ids) {
    const auto* const lengths = numbers(counts, "counts");
    const auto* const nodes = numbers(neighbors, "neighbors");
    const auto* const edges = edge_ids != nullptr ? numbers(edge_ids, "edge_ids") : nullptr;
    const gls_fetch_info_t info = fetch_->info();
    if (counts->size() != static_cast<int64_t>(info.num_ids)) {
      throw std::invalid_argument("counts has " + std::to_string(counts->size()) +
                                  " numbers, expected " + std::to_string(info.num_ids));
    }
    int64_t sum = 0;
    for (int64_t i = 0; i < counts->size(); ++i) {
      if (lengths[i] > std::numeric_limits<int64_t>::max() - sum) {
        throw std::invalid_argument("counts: the sum is too large");
      }
      sum += lengths[i] > 0 ? lengths[i] : 0;  // the library refuses negative ones
    }
    if (neighbors->size() != sum || (edge_ids != nullptr && edge_ids->size() != sum)) {
      throw std::invalid_argument(
          "the counts add up to " + std::to_string(sum) + ", but there are " +
          std::to_string(neighbors->size()) + " neighbors" +
          (edge_ids != nullptr ? " and " + std::to_string(edge_ids->size()) + " edge_ids" : ""));
    }
    fetch_->neighbors(lengths, nodes, edges);
  }
  void fail(int32_t status, const char* message) { fetch_->fail(status, text_or_empty(message)); }

#ifndef SWIG
  explicit FetchTask(gls::Fetch fetch) : fetch_(std::make_shared<gls::Fetch>(std::move(fetch))) {}

 private:
  static const int64_t* numbers(const Tensor* tensor, const char* name) {
    if (tensor == nullptr) {
      throw std::invalid_argument(std::string(name) + " is missing");
    }
    tensor->check_on_host();
    if (tensor->ndim() != 1 || tensor->dtype_code() != kDLInt || tensor->dtype_bits() != 64 ||
        (tensor->dim(0) > 1 && tensor->stride(0) != 1)) {
      throw std::invalid_argument(std::string(name) + " is no contiguous vector of int64");
    }
    return reinterpret_cast<const int64_t*>(tensor->data());
  }
  Tensor* view(void* data, DLDataType dtype, std::vector<int64_t> shape, bool read_only) const {
    auto owner = std::make_unique<std::shared_ptr<gls::Fetch>>(fetch_);
    const DLTensor part = {
        data, {kDLCPU, 0}, static_cast<int32_t>(shape.size()), dtype, shape.data(), nullptr, 0};
    // wrap() releases the owner, also when it fails.
    return new Tensor(gls::Tensor::wrap(part, read_only, owner.release(), [](void* taken) {
      delete static_cast<std::shared_ptr<gls::Fetch>*>(taken);
    }));
  }

  const std::shared_ptr<gls::Fetch> fetch_;
#endif
};

/** Questions on their way to threads of the target language. The library's threads only append, so
 * they never wait for a virtual machine. It closes when the library has let go of the store. */
class FetchQueue {
 public:
  FetchQueue() : line_(std::make_shared<Line>(std::numeric_limits<size_t>::max())) {}
  /** Waits for a question; NULL when there is none in time, or when there will be none any more.
   *  @param timeout_ms  -1: without limit */
  FetchTask* next(int64_t timeout_ms) {
    std::optional<gls::Fetch> fetch = line_->next(timeout_ms);
    return fetch.has_value() ? new FetchTask(std::move(*fetch)) : nullptr;
  }
  bool closed() const { return line_->closed(); }
  /** Questions that no thread has taken, and all later ones, end with an error that says so. */
  void close() {
    for (gls::Fetch& fetch : line_->close_and_take()) {
      refuse(fetch);
    }
  }

#ifndef SWIG
  /** For one store. */
  void attach(gls_store_options_t* options) const {
    options->user_data = new std::shared_ptr<Line>(line_);
    options->fetch = &FetchQueue::send;
    options->destroy = &FetchQueue::forget;
  }
#endif

 private:
  using Line = Mailbox<gls::Fetch>;

  static void send(gls_fetch_t* taken, void* share) {
    gls::Fetch fetch(taken);
    Line& line = **static_cast<std::shared_ptr<Line>*>(share);
    try {
      std::list<gls::Fetch> letter;
      letter.push_back(std::move(fetch));
      if (!line.offer(&letter)) {
        refuse(letter.front());
      }
    } catch (const std::exception&) {  // the batch gets an error: there was no answer
    }
  }
  static void refuse(gls::Fetch& fetch) {
    try {
      fetch.fail(GLS_ERR_IO, "the process answers no more");
    } catch (const std::exception&) {  // there is no memory; the batch gets an error all the same
    }
  }
  static void forget(void* share) {
    const std::unique_ptr<std::shared_ptr<Line>> line(static_cast<std::shared_ptr<Line>*>(share));
    (*line)->close();
  }

  std::shared_ptr<Line> line_;
};

/** How a store is asked. */
class StoreOptions {
 public:
  StoreOptions() = default;
  /** 0: as in gls.h, for all of them. */
  void set_max_fetches(uint32_t count) { options_.max_fetches = count; }
  void set_max_ids(uint32_t count) { options_.max_ids = count; }
  void set_deadline_ms(int64_t ms) { options_.deadline_ms = ms; }
  void set_cache_bytes(uint64_t bytes) { options_.cache_bytes = bytes; }

#ifndef SWIG
  gls_store_options_t to(const FetchQueue& queue) const {
    gls_store_options_t out = options_;
    queue.attach(&out);
    return out;
  }

 private:
  gls_store_options_t options_ = GLS_STORE_OPTIONS_INIT;
#endif
};

/** The shape of a row of a column in a store. */
class RowShape {
 public:
  RowShape() = default;
  void add(int64_t extent) { extents_.push_back(extent); }
#ifndef SWIG
  const std::vector<int64_t>& extents() const { return extents_; }

 private:
  std::vector<int64_t> extents_;
#endif
};

class Store {
 public:
  /** @param type        NULL: the only node type
   *  @param dtype_code  as in DLPack */
  static Store* column(const Context* context, const char* type, const char* name, int32_t role,
                       int32_t dtype_code, int32_t dtype_bits, const RowShape* shape,
                       const StoreOptions* options, const FetchQueue* queue) {
    gls_store_column_t column = GLS_STORE_COLUMN_INIT;
    column.type = type;
    column.name = name;
    column.row_shape = shape->extents().data();
    column.row_ndim = static_cast<int32_t>(shape->extents().size());
    column.role = role;
    column.dtype = {static_cast<uint8_t>(dtype_code), static_cast<uint8_t>(dtype_bits), 1};
    return new Store(gls::Store::column(context->impl(), column, options->to(*queue)));
  }
  /** @param layout  as in gls.h */
  static Store* neighbors(const Context* context, const char* edge_type, int64_t num_edges,
                          uint32_t layout, bool edge_ids, const StoreOptions* options,
                          const FetchQueue* queue) {
    gls_store_neighbors_t neighbors = GLS_STORE_NEIGHBORS_INIT;
    neighbors.edge_type = edge_type;
    neighbors.num_edges = num_edges;
    neighbors.layout = layout;
    if (edge_ids) {
      neighbors.flags |= GLS_STORE_EDGE_IDS;
    }
    return new Store(gls::Store::neighbors(context->impl(), neighbors, options->to(*queue)));
  }
  uint64_t fetches() const { return store_.stats().fetches; }
  uint64_t ids() const { return store_.stats().ids; }
  uint64_t cached_ids() const { return store_.stats().cached_ids; }
  uint64_t failures() const { return store_.stats().failures; }
  uint64_t fetch_ns() const { return store_.stats().fetch_ns; }
  uint64_t wait_ns() const { return store_.stats().wait_ns; }
  uint64_t cache_bytes() const { return store_.stats().cache_bytes; }

#ifndef SWIG
  explicit Store(gls::Store store) : store_(std::move(store)) {}
  const gls::Store* impl() const { return &store_; }

 private:
  gls::Store store_;
#endif
};

/** The stores that a dataset gets. */
class StoreList {
 public:
  StoreList() = default;
  /** It is borrowed until the dataset is made. */
  void add(const Store* store) { stores_.push_back(store->impl()); }
#ifndef SWIG
  const std::vector<const gls::Store*>& all() const { return stores_; }

 private:
  std::vector<const gls::Store*> stores_;
#endif
};

}  // namespace gls::facade

#endif  // GLS_SWIG_STORE_HPP
