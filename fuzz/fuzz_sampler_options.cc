// Options of samplers and loaders, on a graph of two node types with every column that the options
// can name. Bytes choose the method and each option: mostly valid values, now and then unexpected
// numbers. With accepted options, some batches are sampled and read; the same request must give the
// same batch twice. Valid but expensive numbers (a million walks) are not requested.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <deque>
#include <limits>
#include <string>
#include <vector>

#include "input.h"

namespace {

using gls::fuzz::Input;

constexpr int64_t kNodesA = 20;
constexpr int64_t kNodesB = 12;
constexpr int64_t kEdges = 60;
constexpr int64_t kIdSet = 4;  // ids in each set

// Status and error agree. No error may report a fault of the library, and no call may need
// unbounded memory.
bool good(gls_status_t status, gls_error_t* err) {
  CLAIM(status >= 0 ? err == nullptr : err != nullptr);
  if (err != nullptr) {
    CLAIM(gls_error_status(err) == status);
    CLAIM(std::strlen(gls_error_message(err)) > 0);
    if (status == GLS_ERR_INTERNAL || status == GLS_ERR_OUT_OF_MEMORY) {
      std::fprintf(stderr, "%s\n", gls_error_message(err));
      CLAIM(false && "such an error");
    }
    gls_error_release(err);
  }
  return status == GLS_OK;
}

// ---- the graph ---------------------------------------------------------------------------------

DLTensor view_of(const void* data, DLDataType dtype, int64_t* shape, int32_t ndim) {
  return {const_cast<void*>(data), {kDLCPU, 0}, ndim, dtype, shape, nullptr, 0};
}

template <typename T>
gls_tensor_t* taken(std::vector<T> values, DLDataType dtype, std::vector<int64_t> shape = {}) {
  auto* const owner = new std::vector<T>(std::move(values));
  if (shape.empty()) {
    shape = {static_cast<int64_t>(owner->size())};
  }
  const DLTensor view =
      view_of(owner->data(), dtype, shape.data(), static_cast<int32_t>(shape.size()));
  gls_tensor_t* out = nullptr;
  gls_error_t* err = nullptr;
  CLAIM(good(gls_tensor_wrap(
                 &view, 0, owner, [](void* data) { delete static_cast<std::vector<T>*>(data); },
                 &out, &err),
             err));
  return out;
}

constexpr DLDataType kInt64 = {kDLInt, 64, 1};
constexpr DLDataType kInt32 = {kDLInt, 32, 1};
constexpr DLDataType kFloat32 = {kDLFloat, 32, 1};

void add_columns(gls_builder_t* builder, const char* type, bool of_nodes, int64_t rows) {
  const auto add = of_nodes ? gls_builder_add_node_column : gls_builder_add_edge_column;
  std::vector<float> x;
  std::vector<float> weights;
  std::vector<int64_t> times;
  std::vector<int32_t> clusters;
  std::vector<int64_t> reverse;
  for (int64_t i = 0; i < rows; ++i) {
    x.insert(x.end(), {static_cast<float>(i), 0.5F});
    weights.push_back(static_cast<float>(i % 4) / 2);
    times.push_back(i * 7 % 30);
    clusters.push_back(static_cast<int32_t>(i % 5) - 1);
    reverse.push_back(rows - 1 - i);
  }
  gls_error_t* err = nullptr;
  const auto give = [&](const char* name, int32_t role, gls_tensor_t* tensor) {
    CLAIM(good(add(builder, type, name, role, tensor, &err), err));
  };
  give("x", GLS_ROLE_FEATURE, taken(x, kFloat32, {rows, 2}));
  give("w", GLS_ROLE_WEIGHT, taken(weights, kFloat32));
  give("t", GLS_ROLE_TIME, taken(times, kInt64));
  give("c", GLS_ROLE_OTHER, taken(clusters, kInt32));
  give("r", GLS_ROLE_OTHER, taken(reverse, kInt64));
}

gls_dataset_t* make_graph(gls_context_t* ctx) {
  gls_error_t* err = nullptr;
  gls_builder_t* builder = nullptr;
  CLAIM(good(gls_builder_create(ctx, &builder, &err), err));
  for (const auto& [type, count] : {std::pair{"a", kNodesA}, std::pair{"b", kNodesB}}) {
    gls_node_type_options_t options = GLS_NODE_TYPE_OPTIONS_INIT;
    options.num_nodes = count;
    CLAIM(good(gls_builder_add_node_type(builder, type, &options, &err), err));
    add_columns(builder, type, true, count);
    CLAIM(
        good(gls_builder_add_id_set(builder, type, "x", taken<int64_t>({3, 1, 4, 1}, kInt64), &err),
             err));
  }
  // Each type has a hub, parallel edges, and nodes without edges; the third is the reverse of the
  // second.
  const std::array<std::array<int64_t, 2>, 3> ends = {
      {{kNodesA, kNodesA}, {kNodesA, kNodesB}, {kNodesB, kNodesA}}};
  const std::array<const char*, 3> names = {"a__e__a", "a__f__b", "b__rev_f__a"};
  for (size_t t = 0; t < names.size(); ++t) {
    std::vector<int64_t> source;
    std::vector<int64_t> target;
    for (int64_t e = 0; e < kEdges; ++e) {
      const int64_t one = e % 3 == 0 ? 2 : e * 7 % 17;
      const int64_t other = e % 4 == 0 ? 1 : e * 5 % 11;
      source.push_back(t == 2 ? other : one);
      target.push_back(t == 2 ? one : other % ends[t][1]);
    }
    gls_edge_type_options_t options = GLS_EDGE_TYPE_OPTIONS_INIT;
    CLAIM(good(gls_builder_add_edges(builder, names[t], taken(source, kInt64),
                                     taken(target, kInt64), &options, &err),
               err));
    add_columns(builder, names[t], false, kEdges);
  }
  gls_write_options_t options = GLS_WRITE_OPTIONS_INIT;
  options.layouts = GLS_LAYOUT_CSC | GLS_LAYOUT_CSR;
  gls_dataset_t* out = nullptr;
  CLAIM(good(gls_builder_build(builder, &options, &out, &err), err));
  gls_builder_release(builder);
  return out;
}

// One for all inputs: never changed.
gls_dataset_t* graph() {
  static gls_dataset_t* const made = [] {
    gls_context_options_t options = GLS_CONTEXT_OPTIONS_INIT;
    options.num_threads = 1;
    options.log_level = GLS_LOG_ERROR;
    gls_error_t* err = nullptr;
    gls_context_t* ctx = nullptr;
    CLAIM(good(gls_context_create(&options, &ctx, &err), err));
    gls_dataset_t* const dataset = make_graph(ctx);
    gls_context_release(ctx);
    return dataset;
  }();
  return made;
}

// ---- options from bytes ------------------------------------------------------------------------

constexpr const char* kNodeTypes[] = {"a", "b", nullptr, "z"};
constexpr const char* kEdgeTypes[] = {"a__e__a", "a__f__b", "b__rev_f__a", nullptr, "z"};
constexpr const char* kColumns[] = {"w", "t", "c", "r", "x", "z"};

class Options {
 public:
  explicit Options(Input& input) : input_(input) {}

  // Nothing, in three of four cases.
  bool rarely() { return input_.byte() % 4 == 3; }
  template <size_t kCount>
  const char* pick(const char* const (&names)[kCount]) {
    const uint8_t byte = input_.byte();
    return names[byte < 224 ? byte % (kCount - 1) : byte % kCount];
  }
  const char* column(const char* usual) { return input_.byte() < 200 ? usual : pick(kColumns); }
  // Mostly below `limit`; now and then at the limits of its type, or just beyond some limit.
  template <typename T>
  T number(uint32_t limit) {
    const uint8_t byte = input_.byte();
    if (byte < 232) {
      return static_cast<T>(byte % limit);
    }
    constexpr T kOdd[] = {std::numeric_limits<T>::max(),
                          std::numeric_limits<T>::min(),
                          static_cast<T>(-1),
                          static_cast<T>(std::numeric_limits<T>::max() - 1),
                          static_cast<T>(T{1} << (sizeof(T) * 8 - 2)),
                          static_cast<T>(-2)};
    return kOdd[byte % 6];
  }
  // As number(), for numbers that alone determine the amount of work: unusual ones are refused.
  template <typename T>
  T costly(uint32_t limit) {
    const uint8_t byte = input_.byte();
    return byte < 248 ? static_cast<T>(byte % limit) : std::numeric_limits<T>::max();
  }
  double real(double usual, double least) {
    const uint8_t byte = input_.byte();
    if (byte < 232) {
      return least + usual * (byte % 8) / 8;
    }
    constexpr double kOdd[] = {-1, std::numeric_limits<double>::quiet_NaN(), -0.0,
                               std::numeric_limits<double>::infinity(), 1e300};
    return kOdd[byte % 5];
  }
  // Ids of nodes or edges, few of them out of range.
  int64_t id(uint32_t limit) {
    const uint8_t byte = input_.byte();
    return byte < 250 ? byte % limit : static_cast<int64_t>(input_.number(8));
  }
  std::vector<int64_t> ids(size_t count, uint32_t limit) {
    std::vector<int64_t> out(count);
    for (int64_t& value : out) {
      value = id(limit);
    }
    return out;
  }
  size_t count(uint32_t limit) { return input_.below(limit); }
  // A view that lives as long as this object.
  const DLTensor* keep(std::vector<int64_t> values, std::vector<int64_t> shape = {}) {
    if (shape.empty()) {
      shape = {static_cast<int64_t>(values.size())};
    }
    values.push_back(0);  // so that memory is allocated
    values_.push_back(std::move(values));
    shapes_.push_back(std::move(shape));
    views_.push_back(view_of(values_.back().data(), kInt64, shapes_.back().data(),
                             static_cast<int32_t>(shapes_.back().size())));
    return &views_.back();
  }
  Input& input() { return input_; }
  // Labels for anchors, by supervision: mostly valid.
  struct Labels {
    std::array<std::vector<int64_t>, 2> values;
    std::array<bool, 2> given = {};
    std::array<int64_t, 2> rows = {};
    std::array<int64_t, 2> width = {};
    size_t count = 0;
  };
  Labels labels(int64_t anchors) {
    const auto unlikely = [this] { return input_.byte() >= 240; };
    Labels out;
    const size_t own = options_.num_supervisions;
    out.count = unlikely() ? count(3) : own;
    for (size_t s = 0; s < out.count; ++s) {
      out.given[s] = (s < own && supervisions_[s].edge_type == nullptr) != unlikely();
      out.rows[s] = unlikely() ? static_cast<int64_t>(count(9)) : anchors;
      out.width[s] = static_cast<int64_t>(count(4));
      out.values[s] = ids(static_cast<size_t>(out.rows[s] * out.width[s]), kNodesB + 1);
      for (int64_t& label : out.values[s]) {
        label -= label <= kNodesB ? 1 : 0;  // -1 means no label
      }
    }
    return out;
  }

  // ---- options of samplers ----

  const gls_sampler_options_t* sampler() {
    options_.kind = number<int32_t>(5);
    options_.flags = rarely() ? input_.byte() : input_.byte() & GLS_SAMPLE_EDGE_IDS;
    options_.seed = input_.byte();
    options_.direction = number<int32_t>(2);
    options_.weight = rarely() ? column("w") : nullptr;
    if (rarely()) {
      exclude_.edge_type = pick(kEdgeTypes);
      exclude_.edges = edges();
      options_.exclude = &exclude_;
      options_.num_exclude = 1;
      options_.exclude_mode = number<int32_t>(3);
      options_.reverse_column = column("r");
    }
    reverse_ = {"a__f__b", rarely() ? pick(kEdgeTypes) : "b__rev_f__a"};
    options_.reverse_types = &reverse_;
    options_.num_reverse_types = input_.below(2);
    options_.subgraph = rarely() ? number<int32_t>(3) : GLS_SUBGRAPH_SAMPLED;
    switch (options_.kind) {
      case GLS_SAMPLER_WALK:
        walk();
        break;
      case GLS_SAMPLER_IMPORTANCE:
        importance();
        break;
      case GLS_SAMPLER_PPR:
        ppr();
        break;
      case GLS_SAMPLER_HGT:
        hgt();
        break;
      default:
        neighbors();
    }
    if (rarely()) {
      negatives();
    }
    if (rarely()) {
      supervisions();
    }
    if (input_.byte() > 250) {  // of another method
      walk();
    }
    return &options_;
  }
  bool temporal() const { return options_.node_time != nullptr || options_.edge_time != nullptr; }

  const DLTensor* edges() {
    const size_t n = count(6);
    return input_.chance() ? keep(ids(n, kEdges))
                           : keep(ids(2 * n, kNodesB), {2, static_cast<int64_t>(n)});
  }

 private:
  void neighbors() {
    const size_t hops = input_.byte() < 250 ? 1 + count(3) : count(2) * 256;
    for (auto& list : hops_) {
      list.resize(hops);
      for (int64_t& fanout : list) {
        fanout = input_.byte() > 200 ? -1 : number<int64_t>(6);
      }
    }
    const bool small = std::all_of(hops_.begin(), hops_.end(), [](const auto& list) {
      return std::all_of(list.begin(), list.end(), [](int64_t fanout) { return fanout < 100; });
    });
    // Draws always make as many picks as requested.
    options_.replace = small ? number<int32_t>(3) : GLS_REPLACE_NEVER;
    fanouts_[0] = {nullptr, hops_[0].data(), hops};
    fanouts_[1] = {pick(kEdgeTypes), hops_[1].data(), hops};
    options_.fanouts = fanouts_.data();
    options_.num_fanouts = 1 + count(2);
    if (rarely()) {
      options_.pick = number<int32_t>(2);
      options_.batch_dependency = number<uint32_t>(4);
      options_.replace = GLS_REPLACE_NEVER;
    }
    if (rarely()) {
      options_.node_time = rarely() ? nullptr : column("t");
      options_.edge_time = rarely() ? column("t") : nullptr;
      options_.time_window = rarely() ? number<int64_t>(20) : 0;
      options_.time_strategy = rarely() ? number<int32_t>(2) : GLS_TIME_UNIFORM;
    }
  }
  // Begins at "a", or now and then anywhere.
  void path(const char* const** out, size_t* length) {
    path_ = {"a__f__b", "b__rev_f__a"};
    if (options_.direction == GLS_DIRECTION_IN) {
      std::reverse(path_.begin(), path_.end());
    }
    if (input_.chance()) {
      path_ = {"a__e__a"};
    }
    if (rarely()) {
      path_.push_back(pick(kEdgeTypes));
    }
    *out = path_.data();
    *length = path_.size();
  }
  void walk() {
    walk_.length = costly<uint32_t>(12);
    walk_.walks = costly<uint32_t>(5);
    walk_.p = rarely() ? real(2, 0) : 0;
    walk_.q = rarely() ? real(2, 0) : 0;
    walk_.restart = rarely() ? real(1, 0) : 0;
    walk_.stop = rarely() ? real(1, 0) : 0;
    path(&walk_.path, &walk_.path_length);
    options_.walk = &walk_;
  }
  void importance() {
    importance_.neighbors = number<uint32_t>(6);
    importance_.walks = costly<uint32_t>(6);
    importance_.traversals = costly<uint32_t>(4);
    importance_.hops = number<uint32_t>(4);
    importance_.stop = rarely() ? real(1, 0) : 0;
    path(&importance_.path, &importance_.path_length);
    options_.importance = &importance_;
  }
  void ppr() {
    ppr_.neighbors = number<uint32_t>(30);
    ppr_.flags = number<uint32_t>(2);
    ppr_.alpha = real(0.9, 0.1);
    ppr_.epsilon = real(0.1, 1e-4);
    ppr_.max_edges = number<uint64_t>(200);
    ppr_.row_limit = number<uint32_t>(8);
    if (rarely()) {
      path_ = {pick(kEdgeTypes)};
      ppr_.edge_types = path_.data();
      ppr_.num_edge_types = 1;
    }
    if (rarely()) {
      const size_t channels = 1 + count(3);
      for (size_t c = 0; c < channels; ++c) {
        channel_types_[c] = pick(kEdgeTypes);
        const double even = 1.0 / static_cast<double>(channels);
        channels_[c] = {&channel_types_[c], 1, rarely() ? real(1, 0.5) : even, 0};
      }
      ppr_.channels = channels_.data();
      ppr_.num_channels = channels;
    }
    options_.ppr = &ppr_;
  }
  void hgt() {
    const size_t hops = input_.byte() < 250 ? 1 + count(3) : 256;
    for (auto& list : hops_) {
      list.resize(hops);
      for (int64_t& samples : list) {
        samples = input_.byte() > 200 ? -1 : number<int64_t>(8);
      }
    }
    samples_[0] = {nullptr, hops_[0].data(), hops};
    samples_[1] = {pick(kNodeTypes), hops_[1].data(), hops};
    hgt_.samples = samples_.data();
    hgt_.num_samples = 1 + count(2);
    hgt_.most_neighbors = number<uint32_t>(6);
    options_.hgt = &hgt_;
  }
  void negatives() {
    negatives_.mode = number<int32_t>(3);
    negatives_.flags = number<uint32_t>(4);
    negatives_.amount = real(4, 0);
    negatives_.amount = input_.chance() ? std::floor(negatives_.amount) : negatives_.amount;
    negatives_.degree_power = rarely() ? real(2, 0) : 0;
    negatives_.source_weight = rarely() ? column("w") : nullptr;
    negatives_.target_weight = rarely() ? column("w") : nullptr;
    negatives_.tries = number<uint32_t>(100);
    options_.negatives = &negatives_;
  }
  // Found along edge types, with and without a limit, or given.
  void supervisions() {
    constexpr const char* kNames[] = {"x", "y"};
    for (size_t s = 0; s < supervisions_.size(); ++s) {
      gls_supervision_t& one = supervisions_[s];
      const bool given = input_.chance();
      one.edge_type = given ? nullptr : pick(kEdgeTypes);
      one.node_type = given ? pick(kNodeTypes) : nullptr;
      one.name = given != rarely() ? kNames[s] : nullptr;
      one.role = number<int32_t>(2);
      const bool plain = given && !rarely();
      one.flags = plain ? 0 : number<uint32_t>(2);
      one.max_labels = plain ? 0 : number<uint32_t>(5);
    }
    options_.supervisions = supervisions_.data();
    options_.num_supervisions = 1 + count(2);
  }

  Input& input_;
  std::deque<std::vector<int64_t>> values_;
  std::deque<std::vector<int64_t>> shapes_;
  std::deque<DLTensor> views_;
  std::array<std::vector<int64_t>, 2> hops_;
  std::array<gls_fanout_t, 2> fanouts_{};
  std::array<gls_node_samples_t, 2> samples_{};
  std::array<gls_supervision_t, 2> supervisions_{};
  std::vector<const char*> path_;
  gls_edge_set_t exclude_{};
  gls_type_pair_t reverse_{};
  gls_walk_options_t walk_ = GLS_WALK_OPTIONS_INIT;
  gls_importance_options_t importance_ = GLS_IMPORTANCE_OPTIONS_INIT;
  gls_ppr_options_t ppr_ = GLS_PPR_OPTIONS_INIT;
  std::array<const char*, 3> channel_types_ = {};
  std::array<gls_ppr_channel_t, 3> channels_ = {};
  gls_hgt_options_t hgt_ = GLS_HGT_OPTIONS_INIT;
  gls_negative_options_t negatives_ = GLS_NEGATIVE_OPTIONS_INIT;
  gls_sampler_options_t options_ = GLS_SAMPLER_OPTIONS_INIT;
};

// ---- batches -----------------------------------------------------------------------------------

// All bytes of all arrays, in order.
std::string contents(const gls_batch_t* batch) {
  std::string out;
  for (size_t i = 0; i < gls_batch_num_arrays(batch); ++i) {
    gls_array_info_t info = {};
    info.struct_size = sizeof info;
    gls_tensor_t* tensor = nullptr;
    CLAIM(gls_batch_get_array_info(batch, i, &info, nullptr) == GLS_OK);
    CLAIM(gls_batch_tensor(batch, info.array, info.type, info.name, &tensor, nullptr) == GLS_OK);
    const DLTensor& dl = tensor->dl_tensor;
    size_t row = dl.dtype.bits / 8;
    for (int32_t d = 1; d < dl.ndim; ++d) {
      row *= static_cast<size_t>(dl.shape[d]);
    }
    for (int64_t r = 0; r < dl.shape[0]; ++r) {
      out.append(static_cast<const char*>(dl.data) + r * dl.strides[0] * (dl.dtype.bits / 8), row);
    }
    out += static_cast<char>(info.array);
    gls_tensor_release(tensor);
  }
  return out;
}

void read_blocks(const gls_batch_t* batch) {
  gls_batch_info_t info = {};
  info.struct_size = sizeof info;
  CLAIM(gls_batch_get_info(batch, &info, nullptr) == GLS_OK);
  for (uint64_t layer = 0; layer < std::min<uint64_t>(info.num_hops, 4); ++layer) {
    for (int32_t array = GLS_BLOCK_SRC_NODE; array <= GLS_BLOCK_EDGE; ++array) {
      gls_tensor_t* out = nullptr;
      gls_error_t* err = nullptr;
      if (good(gls_batch_block_tensor(batch, layer, array, array < GLS_BLOCK_SRC ? "a" : "a__e__a",
                                      &out, &err),
               err)) {
        gls_tensor_release(out);
      }
    }
  }
}

void sample(Options& options, const gls_sampler_t* sampler, bool temporal) {
  for (int i = 0; i < 3; ++i) {
    gls_sample_request_t request = GLS_SAMPLE_REQUEST_INIT;
    const gls_seed_set_t seeds[2] = {
        {options.rarely() ? "b" : "a", options.keep(options.ids(options.count(9), kNodesB))},
        {"b", options.keep(options.ids(options.count(9), kNodesB))}};
    request.seeds = seeds;
    request.num_seeds = options.rarely() ? 2 : 1;
    std::array<const DLTensor*, 2> times = {
        options.keep(options.ids(static_cast<size_t>(seeds[0].ids->shape[0]), 40)),
        options.keep(options.ids(static_cast<size_t>(seeds[1].ids->shape[0]), 40))};
    gls_link_set_t links = GLS_LINK_SET_INIT;
    if (options.rarely()) {
      links.edge_type = options.pick(kEdgeTypes);
      links.links = options.edges();
      const int64_t count = links.links->shape[links.links->ndim - 1];
      links.times = temporal ? options.keep(options.ids(static_cast<size_t>(count), 40)) : nullptr;
      links.labels = options.rarely()
                         ? options.keep(options.ids(static_cast<size_t>(2 * count), 9), {count, 2})
                         : nullptr;
      request.links = &links;
      request.seeds = nullptr;
      request.num_seeds = 0;
    } else if (temporal) {
      request.times = times.data();
    }
    request.epoch = options.number<uint64_t>(4);
    request.batch = options.number<uint64_t>(4);
    const gls_edge_set_t exclude = {options.pick(kEdgeTypes), options.edges()};
    request.exclude = &exclude;
    request.num_exclude = options.rarely() ? 1 : 0;
    Options::Labels given = options.labels(seeds[0].ids->shape[0]);
    std::array<const DLTensor*, 2> labels = {};
    for (size_t s = 0; s < given.count; ++s) {
      labels[s] = given.given[s]
                      ? options.keep(std::move(given.values[s]), {given.rows[s], given.width[s]})
                      : nullptr;
    }
    request.labels = labels.data();
    request.num_labels = given.count;
    std::array<std::string, 2> both;
    gls_status_t status = GLS_OK;
    for (std::string& one : both) {
      gls_batch_t* batch = nullptr;
      gls_error_t* err = nullptr;
      status = gls_sampler_sample(sampler, &request, &batch, &err);
      CLAIM((batch != nullptr) == (status == GLS_OK));
      if (good(status, err)) {
        one = contents(batch);
        read_blocks(batch);
        gls_batch_release(batch);
      }
    }
    CLAIM(both[0] == both[1]);
  }
}

// ---- loaders -----------------------------------------------------------------------------------

void load(Options& options, gls_sampler_t* sampler, bool temporal) {
  Input& input = options.input();
  gls_loader_options_t loading = GLS_LOADER_OPTIONS_INIT;
  const bool links = options.rarely();
  loading.node_type = links ? nullptr : options.rarely() ? "b" : "a";
  loading.edge_type = links ? options.pick(kEdgeTypes) : nullptr;
  loading.id_set = options.rarely() ? options.pick(kColumns) : nullptr;
  loading.seed_rule = options.rarely() ? options.number<int32_t>(3) : GLS_SEEDS_ORDER;
  // Draws make as many seeds as requested.
  loading.batch_size =
      loading.seed_rule == GLS_SEEDS_DRAW ? 1 + input.below(8) : options.number<uint32_t>(9);
  loading.flags = loading.seed_rule == GLS_SEEDS_DRAW ? 0 : options.number<uint32_t>(8);
  loading.rank = options.number<uint32_t>(2);
  loading.world_size = options.number<uint32_t>(4);
  loading.even = options.number<int32_t>(3);
  loading.num_workers = options.number<uint32_t>(3);
  loading.prefetch = input.below(4);
  loading.prefetch_bytes = options.number<uint64_t>(200);
  loading.seed_law = options.rarely() ? options.number<int32_t>(3) : 0;
  loading.seed_weight = options.rarely() ? options.column("w") : nullptr;
  loading.batches = options.rarely() ? options.number<uint64_t>(20) : 0;
  loading.cluster = loading.seed_rule == GLS_SEEDS_CLUSTER ? options.column("c") : nullptr;
  const gls_column_request_t column = {options.rarely() ? nullptr : "a", options.column("x"),
                                       options.number<int32_t>(3),
                                       options.rarely() ? kFloat32 : DLDataType{}};
  loading.columns = &column;
  loading.num_columns = input.below(2);
  gls_pad_options_t pad = GLS_PAD_OPTIONS_INIT;
  const int64_t odd_rows[] = {0, -1, std::numeric_limits<int64_t>::max(), int64_t{1} << 62, 1};
  const gls_pad_size_t size = {
      options.rarely() ? options.pick(kNodeTypes) : options.pick(kEdgeTypes),
      options.rarely() ? odd_rows[input.below(5)] : static_cast<int64_t>(input.byte())};
  pad.sizes = &size;
  pad.num_sizes = input.below(2);
  pad.batches = options.rarely() ? 1 + input.below(20) : 0;
  pad.multiple = input.below(200);
  pad.sigma = options.rarely() ? options.real(10, 0) : 0;
  loading.pad = options.rarely() ? &pad : nullptr;
  const size_t count = options.count(12);
  const bool pairs = links && input.chance();
  gls_tensor_t* const seeds =
      options.rarely()
          ? pairs ? taken(options.ids(2 * count, kNodesB), kInt64, {2, static_cast<int64_t>(count)})
                  : taken(options.ids(count, kNodesB), kInt64)
          : nullptr;
  loading.times = temporal && seeds != nullptr ? taken(options.ids(count, 40), kInt64) : nullptr;
  loading.clusters = loading.seed_rule == GLS_SEEDS_CLUSTER && options.rarely()
                         ? taken(options.ids(kNodesA, 9), kInt64)
                         : nullptr;
  const int64_t all = loading.node_type == nullptr || *loading.node_type == 'a' ? kNodesA : kNodesB;
  Options::Labels given = options.labels(seeds != nullptr            ? static_cast<int64_t>(count)
                                         : loading.id_set != nullptr ? kIdSet
                                                                     : all);
  std::array<gls_tensor_t*, 2> labels = {};
  for (size_t i = 0; i < given.count; ++i) {
    labels[i] = given.given[i]
                    ? taken(std::move(given.values[i]), kInt64, {given.rows[i], given.width[i]})
                    : nullptr;
  }
  loading.anchor_labels = labels.data();
  loading.num_anchor_labels = given.count;
  gls_loader_t* loader = nullptr;
  gls_error_t* err = nullptr;
  if (!good(gls_loader_create(sampler, seeds, &loading, &loader, &err), err)) {
    CLAIM(loader == nullptr);
    for (gls_tensor_t* tensor : {seeds, loading.times, loading.clusters, labels[0], labels[1]}) {
      gls_tensor_release(tensor);
    }
    return;
  }
  gls_loader_info_t info = {};
  info.struct_size = sizeof info;
  CLAIM(gls_loader_get_info(loader, &info, nullptr) == GLS_OK);
  for (int i = 0; i < 4; ++i) {
    err = nullptr;
    CLAIM(gls_loader_get_info(loader, &info, nullptr) == GLS_OK);
    const uint64_t number = info.next_batch;
    gls_batch_t* batch = nullptr;
    const gls_status_t status = gls_loader_next(loader, -1, &batch, &err);
    if (good(status, err)) {
      gls_batch_t* again = nullptr;
      const uint64_t own = number % std::max<uint64_t>(1, info.num_global_batches);  // repeats
      CLAIM(gls_loader_sample(loader, 0, own, &again, nullptr) == GLS_OK);
      CLAIM(contents(batch) == contents(again));
      read_blocks(batch);
      gls_batch_release(again);
      gls_batch_release(batch);
    } else if (status == GLS_END) {
      break;
    }
  }
  gls_batch_t* batch = nullptr;
  err = nullptr;
  if (good(gls_loader_sample(loader, options.number<uint64_t>(3), options.number<uint64_t>(9),
                             &batch, &err),
           err)) {
    contents(batch);
    gls_batch_release(batch);
  }
  int64_t rows = 0;
  err = nullptr;
  good(gls_loader_pad_size(loader, options.pick(kNodeTypes), &rows, &err), err);
  if (options.rarely()) {
    gls_norm_options_t norms = GLS_NORM_OPTIONS_INIT;
    norms.node_type = options.pick(kNodeTypes);
    norms.edge_type = options.pick(kEdgeTypes);
    norms.epoch = options.number<uint64_t>(3);
    norms.batches = 1 + input.below(8);
    norms.coverage = options.rarely() ? options.real(3, 0) : 0;
    std::array<gls_tensor_t*, 2> out = {};
    err = nullptr;
    good(gls_loader_saint_norms(loader, &norms, &out[0], input.chance() ? &out[1] : nullptr, &err),
         err);
    gls_tensor_release(out[0]);
    gls_tensor_release(out[1]);
  }
  gls_loader_release(loader);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Input input(data, size);
  Options options(input);
  gls_sampler_t* sampler = nullptr;
  gls_error_t* err = nullptr;
  if (!good(gls_sampler_create(graph(), options.sampler(), &sampler, &err), err)) {
    CLAIM(sampler == nullptr);
    return 0;
  }
  sample(options, sampler, options.temporal());
  for (int i = 0; i < 2 && !input.empty(); ++i) {
    load(options, sampler, options.temporal());
  }
  gls_sampler_release(sampler);
  return 0;
}
