// A sequence of calls of the C ABI. Each input byte chooses a call or one of its arguments. Objects
// are kept in slots, and calls use any of them. Arrays are small and match their shapes; other
// arguments may be as wrong as the bytes choose. At the end, all objects are released in an order
// that the input chooses.
#include <algorithm>
#include <array>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "input.h"

namespace {

using gls::fuzz::Input;

constexpr size_t kSlots = 3;
constexpr const char* kNodeTypes[] = {"a", "b", "node", "", "a__b", nullptr};
constexpr const char* kEdgeTypes[] = {"a__e__a", "a__e__b", "b__e__a", "b__rev_e__a", "x", nullptr};
constexpr const char* kNames[] = {"x", "y", "w", "r", "_", nullptr};

template <typename T, void (*kRelease)(T*)>
class Slots {
 public:
  ~Slots() {
    for (T* object : objects_) {
      kRelease(object);
    }
  }
  T*& at(Input& input) { return objects_[input.below(kSlots)]; }
  // A slot for a new object; releases the old one.
  T** fresh(Input& input) {
    T*& slot = at(input);
    kRelease(slot);
    slot = nullptr;
    return &slot;
  }

 private:
  T* objects_[kSlots] = {};
};

class Sequence {
 public:
  explicit Sequence(Input& input) : input_(input) {}

  void run() {
    for (int calls = 0; calls < 200 && !input_.empty(); ++calls) {
      step(input_.byte());
    }
    for (int i = 0; i < 12; ++i) {
      release(input_.byte());
    }
  }

 private:
  // ---- results ----

  // `made` tells whether an output parameter was written.
  bool good(gls_status_t status, gls_error_t* err, bool made) {
    CLAIM(status >= 0 ? err == nullptr : err != nullptr);
    CLAIM(made == (status == GLS_OK));
    if (err != nullptr) {
      CLAIM(gls_error_status(err) == status && status != GLS_ERR_INTERNAL);
      CLAIM(std::strlen(gls_error_message(err)) > 0);
      CLAIM(std::strcmp(gls_status_name(status), "GLS_UNKNOWN") != 0);
      gls_error_release(err);
    }
    return status == GLS_OK;
  }
  bool good(gls_status_t status, gls_error_t* err) { return good(status, err, status == GLS_OK); }

  // ---- arguments ----

  template <size_t kCount>
  const char* pick(const char* const (&names)[kCount]) {
    return names[input_.below(kCount)];
  }
  // Mostly small, sometimes any number.
  int64_t id() {
    const uint8_t byte = input_.byte();
    return byte < 240 ? byte % 12 : static_cast<int64_t>(input_.number(8));
  }
  // An id tensor, or now and then another tensor.
  gls_tensor_t* tensor() {
    const uint8_t kind = input_.byte();
    const auto count = static_cast<int64_t>(input_.below(24));
    return kind < 200 ? ids(count, kind % 2 != 0) : column(count, kind);
  }
  gls_tensor_t* ids(int64_t count, bool wide) {
    auto* const values = static_cast<char*>(std::malloc(static_cast<size_t>(count) * 8 + 1));
    for (int64_t i = 0; i < count; ++i) {
      const int64_t value = id();
      const auto narrow = static_cast<int32_t>(value);
      std::memcpy(values + i * (wide ? 8 : 4), wide ? static_cast<const void*>(&value) : &narrow,
                  wide ? 8 : 4);
    }
    return wrap(values, {kDLInt, static_cast<uint8_t>(wide ? 64 : 32), 1}, {count, 0}, 1);
  }
  gls_tensor_t* column(int64_t rows, uint8_t kind) {
    constexpr DLDataType kTypes[] = {{kDLFloat, 32, 1},  {kDLFloat, 64, 1}, {kDLFloat, 16, 1},
                                     {kDLBfloat, 16, 1}, {kDLInt, 64, 1},   {kDLUInt, 8, 1}};
    const DLDataType dtype = kTypes[kind % 6];
    const auto width = static_cast<int64_t>(input_.below(4));
    const size_t bytes = static_cast<size_t>(rows * (width + 1)) * 8;
    auto* const values = static_cast<char*>(std::calloc(bytes + 1, 1));
    const std::string_view given = input_.bytes(std::min<size_t>(bytes, 16));
    for (size_t i = 0; i < bytes && !given.empty(); ++i) {
      values[i] = given[i % given.size()];
    }
    return wrap(values, dtype, {rows, width}, width == 0 ? 1 : 2);
  }
  gls_tensor_t* wrap(char* memory, DLDataType dtype, std::array<int64_t, 2> shape, int32_t ndim) {
    DLTensor view = {memory, {kDLCPU, 0}, ndim, dtype, shape.data(), nullptr, 0};
    gls_tensor_t* out = nullptr;
    gls_error_t* err = nullptr;
    const int32_t read_only = input_.chance() ? 1 : 0;
    CLAIM(good(gls_tensor_wrap(&view, read_only, memory, std::free, &out, &err), err));
    return out;
  }
  // Passes tensors to a call that takes them, and releases those that it did not take.
  template <typename Call>
  void give(std::initializer_list<gls_tensor_t*> tensors, Call call) {
    gls_error_t* err = nullptr;
    if (!good(call(&err), err)) {
      for (gls_tensor_t* tensor : tensors) {
        gls_tensor_release(tensor);
      }
    }
  }

  // ---- calls ----

  void step(uint8_t op) {
    switch (op % 24) {
      case 0:
        create_context();
        break;
      case 1:
        set();
        break;
      case 2: {
        gls_error_t* err = nullptr;
        gls_context_t* const ctx = contexts_.at(input_);
        gls_builder_t** const out = builders_.fresh(input_);
        good(gls_builder_create(ctx, out, &err), err, *out != nullptr);
        break;
      }
      case 3:
        add_node_type();
        break;
      case 4:
      case 5:
        add_edges();
        break;
      case 6:
        add_topology();
        break;
      case 7:
      case 8:
        add_column();
        break;
      case 9:
      case 10:
        build();
        break;
      case 11:
      case 12:
        create_sampler();
        break;
      case 13:
        sample();
        break;
      case 14:
        create_loader();
        break;
      case 15:
      case 16:
      case 17:
        next();
        break;
      case 18:
        seek_or_cancel();
        break;
      case 19:
        save_and_restore();
        break;
      case 20:
        read_batch();
        break;
      case 21:
        read_dataset();
        break;
      case 22:
        legacy();
        break;
      default:
        if (op < 144) {
          release(input_.byte());
        } else if (op < 192) {
          add_text();
        } else {
          use_folder(op % 4);
        }
    }
  }

  void release(uint8_t kind) {
    switch (kind % 7) {
      case 0:
        contexts_.fresh(input_);
        break;
      case 1:
        builders_.fresh(input_);
        break;
      case 2:
        datasets_.fresh(input_);
        break;
      case 3:
        samplers_.fresh(input_);
        break;
      case 4:
        loaders_.fresh(input_);
        break;
      case 5:
        batches_.fresh(input_);
        break;
      default:
        tensors_.fresh(input_);
    }
  }

  void create_context() {
    gls_context_options_t options = GLS_CONTEXT_OPTIONS_INIT;
    options.num_threads = 1 + input_.below(2);
    options.log_level = GLS_LOG_ERROR;
    gls_error_t* err = nullptr;
    gls_context_t** const out = contexts_.fresh(input_);
    good(gls_context_create(&options, out, &err), err, *out != nullptr);
  }

  void set() {
    gls_error_t* err = nullptr;
    gls_context_t* const ctx = contexts_.at(input_);
    const std::string value(input_.bytes(input_.below(4)));
    const size_t index = input_.below(9);
    gls_setting_info_t info = {};
    info.struct_size = sizeof info;
    const bool known = good(gls_setting_get_info(index, &info, &err), err, info.key != nullptr);
    const char* const key = known ? info.key : "no.such";
    const bool threads = known && std::strcmp(key, "threads") == 0;
    err = nullptr;
    good(gls_context_set(ctx, key, threads ? "1" : value.c_str(), &err), err);
  }

  void add_node_type() {
    gls_node_type_options_t options = GLS_NODE_TYPE_OPTIONS_INIT;
    options.num_nodes = input_.byte() < 200 ? static_cast<int64_t>(input_.below(16)) : 0;
    options.ids = static_cast<int32_t>(input_.below(4));
    gls_error_t* err = nullptr;
    gls_builder_t* const builder = builders_.at(input_);
    const char* const type = pick(kNodeTypes);
    const auto* const given = input_.chance() ? &options : nullptr;
    good(gls_builder_add_node_type(builder, type, given, &err), err);
  }

  void add_edges() {
    gls_builder_t* const builder = builders_.at(input_);
    const char* const type = pick(kEdgeTypes);
    const auto count = static_cast<int64_t>(input_.below(24));
    gls_tensor_t* const source = ids(count, input_.chance());
    gls_tensor_t* const target = input_.byte() < 240 ? ids(count, input_.chance()) : tensor();
    gls_edge_type_options_t options = GLS_EDGE_TYPE_OPTIONS_INIT;
    options.flags = input_.below(3);
    give({source, target}, [&](gls_error_t** err) {
      return gls_builder_add_edges(builder, type, source, target, &options, err);
    });
  }

  void add_topology() {
    gls_builder_t* const builder = builders_.at(input_);
    const char* const type = pick(kEdgeTypes);
    const auto rows = static_cast<int64_t>(input_.below(8));
    auto* const pointers = static_cast<int64_t*>(std::malloc(static_cast<size_t>(rows + 1) * 8));
    int64_t edges = 0;
    for (int64_t row = 0; row <= rows; ++row) {
      pointers[row] = edges;
      const uint8_t byte = input_.byte();
      edges += row == rows ? 0 : byte < 240 ? byte % 4 : -1;
    }
    gls_tensor_t* const indptr =
        wrap(reinterpret_cast<char*>(pointers), {kDLInt, 64, 1}, {rows + 1, 0}, 1);
    gls_tensor_t* const indices = ids(std::max<int64_t>(edges, 0), input_.chance());
    gls_tensor_t* const edge_ids =
        input_.byte() < 60 ? ids(std::max<int64_t>(edges, 0), input_.chance()) : nullptr;
    const auto layout = static_cast<int32_t>(1 + input_.below(3));
    give({indptr, indices, edge_ids}, [&](gls_error_t** err) {
      return gls_builder_add_topology(builder, type, layout, indptr, indices, edge_ids, err);
    });
  }

  void add_column() {
    gls_builder_t* const builder = builders_.at(input_);
    const uint8_t kind = input_.byte();
    const char* const name = pick(kNames);
    const auto role = static_cast<int32_t>(input_.below(6));
    const auto rows = static_cast<int64_t>(input_.below(24));
    gls_tensor_t* const data = kind % 3 == 2 ? tensor() : column(rows, input_.byte());
    give({data}, [&](gls_error_t** err) {
      return kind % 3 == 0
                 ? gls_builder_add_node_column(builder, pick(kNodeTypes), name, role, data, err)
             : kind % 3 == 1
                 ? gls_builder_add_edge_column(builder, pick(kEdgeTypes), name, role, data, err)
                 : gls_builder_add_id_set(builder, pick(kNodeTypes), name, data, err);
    });
  }

  void build() {
    gls_write_options_t options = GLS_WRITE_OPTIONS_INIT;
    options.layouts = input_.below(5);
    options.memory = uint64_t{64} << 20;
    gls_error_t* err = nullptr;
    gls_builder_t* const builder = builders_.at(input_);
    gls_dataset_t** const out = datasets_.fresh(input_);
    if (good(gls_builder_build(builder, &options, out, &err), err, *out != nullptr)) {
      err = nullptr;
      const gls_status_t verified = gls_dataset_verify(*out, nullptr, &err);
      CLAIM(verified == GLS_OK);
      good(verified, err);
    }
  }

  // A small file of lines with any contents.
  void add_text() {
    gls_text_options_t options = GLS_TEXT_OPTIONS_INIT;
    options.delimiter = static_cast<char>(input_.byte() < 200 ? ',' : input_.byte());
    options.header = static_cast<int32_t>(input_.below(4));
    options.flags = input_.below(3);
    const gls_text_column_t column = {"#2", pick(kNames), input_.chance() ? "float32" : "int64",
                                      static_cast<int32_t>(input_.below(6)), 0};
    options.columns = &column;
    options.num_columns = input_.below(2);
    std::string text;
    for (uint32_t line = input_.below(16); line > 0; --line) {
      const int64_t source = id();
      text += std::to_string(source) + "," + std::to_string(id()) + ",1\n";
    }
    text += input_.bytes(input_.below(8));
    files_.push_back(std::make_unique<gls::fuzz::MemoryFile>(text));
    const std::string path = input_.byte() < 240 ? files_.back()->path() : "/nowhere/edges";
    gls_error_t* err = nullptr;
    gls_builder_t* const builder = builders_.at(input_);
    good(input_.chance()
             ? gls_builder_add_edges_text(builder, pick(kEdgeTypes), path.c_str(), &options, &err)
             : gls_builder_add_nodes_text(builder, pick(kNodeTypes), path.c_str(), &options, &err),
         err);
  }

  void use_folder(uint32_t how) {
    const std::string path = folder_.file(input_.below(kSlots));
    gls_error_t* err = nullptr;
    if (how < 2) {
      gls_dataset_options_t options = GLS_DATASET_OPTIONS_INIT;
      options.residency = static_cast<int32_t>(input_.below(4));
      options.verify_checksums = static_cast<int32_t>(input_.below(2));
      gls_context_t* const ctx = contexts_.at(input_);
      gls_dataset_t** const out = datasets_.fresh(input_);
      good(gls_dataset_open(ctx, path.c_str(), &options, out, &err), err, *out != nullptr);
      return;
    }
    gls_write_options_t options = GLS_WRITE_OPTIONS_INIT;
    options.layouts = input_.below(5);
    options.memory = uint64_t{64} << 20;
    options.overwrite = static_cast<int32_t>(input_.below(2));
    options.compact_rows = static_cast<int32_t>(input_.below(2));
    good(how == 2 ? gls_dataset_save(datasets_.at(input_), path.c_str(), &options, &err)
                  : gls_builder_write(builders_.at(input_), path.c_str(), &options, &err),
         err);
  }

  void create_sampler() {
    int64_t hops[2][3];
    for (auto& list : hops) {
      for (int64_t& fanout : list) {
        const uint8_t byte = input_.byte();
        fanout = byte < 250 ? byte % 6 - 1 : int64_t{1} << (byte % 6 * 8);
      }
    }
    const size_t num_hops = input_.below(4);
    const gls_fanout_t fanouts[2] = {{nullptr, hops[0], num_hops},
                                     {pick(kEdgeTypes), hops[1], num_hops}};
    gls_sampler_options_t options = GLS_SAMPLER_OPTIONS_INIT;
    options.fanouts = fanouts;
    options.num_fanouts = input_.below(3);
    options.flags = input_.below(17);
    options.seed = input_.byte();
    options.direction = static_cast<int32_t>(input_.below(3));
    // Draws with replacement always make as many picks as requested, so these are limited.
    const bool small =
        std::max({hops[0][0], hops[0][1], hops[0][2], hops[1][0], hops[1][1], hops[1][2]}) < 8;
    options.replace = small ? static_cast<int32_t>(input_.below(4)) : GLS_REPLACE_NEVER;
    options.weight = input_.chance() ? pick(kNames) : nullptr;
    options.exclude_mode = static_cast<int32_t>(input_.below(4));
    options.reverse_column = pick(kNames);
    const gls_type_pair_t pair = {pick(kEdgeTypes), pick(kEdgeTypes)};
    options.reverse_types = &pair;
    options.num_reverse_types = input_.below(2);
    gls_tensor_t* const excluded = edge_set();
    const gls_edge_set_t set = {pick(kEdgeTypes), &excluded->dl_tensor};
    options.exclude = &set;
    options.num_exclude = input_.below(2);
    gls_error_t* err = nullptr;
    gls_dataset_t* const dataset = datasets_.at(input_);
    gls_sampler_t** const out = samplers_.fresh(input_);
    good(gls_sampler_create(dataset, &options, out, &err), err, *out != nullptr);
    gls_tensor_release(excluded);
  }

  // [n] ids or [2, n] pairs.
  gls_tensor_t* edge_set() {
    if (input_.chance()) {
      return tensor();
    }
    const auto count = static_cast<int64_t>(input_.below(6));
    auto* const values = static_cast<int64_t*>(std::malloc(static_cast<size_t>(count) * 16 + 1));
    for (int64_t i = 0; i < 2 * count; ++i) {
      values[i] = id();
    }
    return wrap(reinterpret_cast<char*>(values), {kDLInt, 64, 1}, {2, count}, 2);
  }

  void sample() {
    gls_tensor_t* const seeds = tensor();
    gls_tensor_t* const more = tensor();
    gls_tensor_t* const excluded = edge_set();
    const gls_seed_set_t sets[2] = {{pick(kNodeTypes), &seeds->dl_tensor},
                                    {pick(kNodeTypes), &more->dl_tensor}};
    const gls_edge_set_t set = {pick(kEdgeTypes), &excluded->dl_tensor};
    gls_sample_request_t request = GLS_SAMPLE_REQUEST_INIT;
    request.seeds = sets;
    request.num_seeds = input_.below(3);
    request.batch = input_.byte();
    request.exclude = &set;
    request.num_exclude = input_.below(2);
    gls_error_t* err = nullptr;
    gls_sampler_t* const sampler = samplers_.at(input_);
    gls_batch_t** const out = batches_.fresh(input_);
    if (good(gls_sampler_sample(sampler, &request, out, &err), err, *out != nullptr)) {
      claim_batch(*out);
    }
    gls_tensor_release(seeds);
    gls_tensor_release(more);
    gls_tensor_release(excluded);
  }

  void create_loader() {
    gls_loader_options_t options = GLS_LOADER_OPTIONS_INIT;
    options.node_type = pick(kNodeTypes);
    options.id_set = input_.chance() ? pick(kNames) : nullptr;
    options.batch_size = input_.below(6);
    options.flags = input_.below(9);
    options.world_size = input_.below(4);
    options.rank = input_.below(4);
    options.even = static_cast<int32_t>(input_.below(4));
    options.num_workers = input_.below(4);
    options.prefetch = input_.below(4);
    options.prefetch_bytes = input_.chance() ? input_.byte() : 0;
    const DLDataType float32 = {kDLFloat, 32, 1};
    const gls_column_request_t column = {input_.chance() ? pick(kNodeTypes) : pick(kEdgeTypes),
                                         pick(kNames), static_cast<int32_t>(input_.below(4)),
                                         input_.chance() ? float32 : DLDataType{}};
    options.columns = &column;
    options.num_columns = input_.below(2);
    gls_tensor_t* const seeds = input_.chance() ? tensor() : nullptr;
    gls_sampler_t* const sampler = samplers_.at(input_);
    gls_loader_t** const out = loaders_.fresh(input_);
    give({seeds}, [&](gls_error_t** err) {
      const gls_status_t status = gls_loader_create(sampler, seeds, &options, out, err);
      CLAIM((status == GLS_OK) == (*out != nullptr));
      return status;
    });
  }

  void next() {
    gls_error_t* err = nullptr;
    gls_loader_t* const loader = loaders_.at(input_);
    gls_batch_t** const out = batches_.fresh(input_);
    const int64_t timeout = input_.byte() < 200 ? -1 : 0;
    if (good(gls_loader_next(loader, timeout, out, &err), err, *out != nullptr)) {
      claim_batch(*out);
    }
  }

  void seek_or_cancel() {
    gls_error_t* err = nullptr;
    gls_loader_t* const loader = loaders_.at(input_);
    if (input_.byte() < 60) {
      gls_loader_cancel(loader);
    } else {
      good(gls_loader_seek(loader, input_.byte(), &err), err);
    }
  }

  void save_and_restore() {
    char state[GLS_LOADER_STATE_MAX] = "";
    gls_error_t* err = nullptr;
    gls_loader_t* const from = loaders_.at(input_);
    const size_t capacity = input_.byte() < 230 ? sizeof state : input_.byte();
    if (good(gls_loader_save(from, state, capacity, nullptr, &err), err)) {
      err = nullptr;
      const gls_status_t restored = gls_loader_restore(loaders_.at(input_), state, &err);
      good(restored, err);
    }
  }

  void read_batch() {
    gls_error_t* err = nullptr;
    gls_batch_t* const batch = batches_.at(input_);
    gls_batch_info_t info = {};
    info.struct_size = sizeof info;
    good(gls_batch_get_info(batch, &info, &err), err);
    err = nullptr;
    gls_tensor_t** const out = tensors_.fresh(input_);
    const auto array = static_cast<int32_t>(input_.below(12));
    const char* const type = input_.chance() ? pick(kNodeTypes) : pick(kEdgeTypes);
    if (good(gls_batch_tensor(batch, array, type, pick(kNames), out, &err), err, *out != nullptr)) {
      touch(**out);
    }
  }

  void read_dataset() {
    gls_error_t* err = nullptr;
    const gls_dataset_t* const dataset = datasets_.at(input_);
    gls_column_info_t column = {};
    column.struct_size = sizeof column;
    const char* const node_type = pick(kNodeTypes);
    const size_t index = input_.below(3);
    good(gls_dataset_get_node_column_info(dataset, node_type, index, &column, &err), err,
         column.name != nullptr);
    err = nullptr;
    gls_tensor_t** const out = tensors_.fresh(input_);
    const auto array = static_cast<int32_t>(input_.below(10));
    const char* const type = input_.chance() ? pick(kNodeTypes) : pick(kEdgeTypes);
    if (good(gls_dataset_tensor(dataset, array, type, pick(kNames), out, &err), err,
             *out != nullptr)) {
      touch(**out);
    }
  }

  void legacy() {
    gls_error_t* err = nullptr;
    gls_tensor_t*& slot = tensors_.at(input_);
    DLManagedTensor* old = nullptr;
    if (!good(gls_tensor_to_legacy(slot, &old, &err), err, old != nullptr)) {
      return;
    }
    slot = nullptr;
    if (input_.chance()) {
      old->deleter(old);
      return;
    }
    err = nullptr;
    CLAIM(good(gls_tensor_from_legacy(old, 0, &slot, &err), err, slot != nullptr));
  }

  // ---- checks of every result ----

  // Reads all bytes, for the sanitizers.
  static void touch(const gls_tensor_t& tensor) {
    const DLTensor& dl = tensor.dl_tensor;
    CLAIM(dl.ndim > 0 && dl.strides != nullptr && dl.byte_offset == 0);
    int64_t row = dl.dtype.bits / 8;
    for (int32_t d = 1; d < dl.ndim; ++d) {
      row *= dl.shape[d];
    }
    uint32_t sum = 0;
    for (int64_t r = 0; r < dl.shape[0]; ++r) {
      const auto* const bytes =
          static_cast<const uint8_t*>(dl.data) + r * dl.strides[0] * (dl.dtype.bits / 8);
      for (int64_t i = 0; i < row; ++i) {
        sum += bytes[i];
      }
    }
    volatile uint32_t used = sum;
    static_cast<void>(used);
  }

  static void claim_batch(const gls_batch_t* batch) {
    const size_t count = gls_batch_num_arrays(batch);
    for (size_t i = 0; i < count; ++i) {
      gls_array_info_t info = {};
      info.struct_size = sizeof info;
      gls_tensor_t* tensor = nullptr;
      CLAIM(gls_batch_get_array_info(batch, i, &info, nullptr) == GLS_OK);
      CLAIM(gls_batch_tensor(batch, info.array, info.type, info.name, &tensor, nullptr) == GLS_OK);
      CLAIM(reinterpret_cast<uintptr_t>(tensor->dl_tensor.data) % 64 == 0);
      touch(*tensor);
      gls_tensor_release(tensor);
    }
  }

  Input& input_;
  gls::fuzz::TempFolder folder_;
  std::vector<std::unique_ptr<gls::fuzz::MemoryFile>> files_;  // until the builders are destroyed
  Slots<gls_context_t, gls_context_release> contexts_;
  Slots<gls_builder_t, gls_builder_release> builders_;
  Slots<gls_dataset_t, gls_dataset_release> datasets_;
  Slots<gls_sampler_t, gls_sampler_release> samplers_;
  Slots<gls_loader_t, gls_loader_release> loaders_;
  Slots<gls_batch_t, gls_batch_release> batches_;
  Slots<gls_tensor_t, gls_tensor_release> tensors_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Input input(data, size);
  Sequence(input).run();
  return 0;
}
