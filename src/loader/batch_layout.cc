#include "loader/batch_layout.h"

#include <bit>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>

#include "format/manifest.h"

namespace gls {
namespace {

static_assert(std::endian::native == std::endian::little, "the layout is little-endian");

constexpr uint32_t kMagic = 0x42534c47;  // "GLSB"
constexpr uint16_t kVersion = 2;
constexpr uint32_t kMostArrays = 1U << 20;
constexpr size_t kMostName = 4096;

enum BatchFlag : uint8_t { kHasLinks = 1, kHasWalks = 2, kHasNear = 4, kFrontierIsSource = 8 };
enum ArrayFlag : uint8_t { kSeedsOnly = 1 };

struct Head {
  uint32_t magic;
  uint16_t version;
  uint8_t padding;
  uint8_t flags;  // BatchFlag
  uint64_t epoch;
  uint64_t number;
  uint64_t sample_ns;
  uint64_t gather_ns;
  uint32_t num_hops;
  uint32_t input_type;
  uint32_t link_type;
  uint32_t walk_type;
  uint32_t num_arrays;
  uint32_t frontier;  // Frontier
};
static_assert(sizeof(Head) == 64 && std::is_trivially_copyable_v<Head>);

// Followed by the shape, the name, and zeros up to a multiple of 8 bytes.
struct Record {
  uint16_t array;  // GLS_BATCH_*
  uint16_t name_bytes;
  uint8_t code;
  uint8_t bits;
  uint8_t ndim;
  uint8_t flags;    // ArrayFlag
  uint32_t type;    // of nodes or edges
  uint32_t column;  // of the type
  uint64_t offset;
};
static_assert(sizeof(Record) == 24 && std::is_trivially_copyable_v<Record>);

// Without gaps between rows.
uint64_t bytes_of(const Tensor& tensor) {
  return static_cast<uint64_t>(tensor.rows() * tensor.row_bytes());
}

class Writer {
 public:
  explicit Writer(const Batch& batch) : batch_(batch) {}

  Result<BatchLayout> run() {
    // A new member of Batch breaks this line, since the number of names must match.
    const auto& [dataset, epoch, number, num_hops, nodes, edges, links, walks, labels, input_type,
                 input, near, columns, padding, frontier, frontier_is_target, attached, device,
                 readers, num_inputs_known, sample_ns, gather_ns, tiers] = batch_;
    if (device != nullptr) {
      return error(GLS_ERR_UNSUPPORTED,
                   "the batch lies on a GPU; batches of the host are passed on");
    }
    Head head{};
    head.magic = kMagic;
    head.version = kVersion;
    head.padding = static_cast<uint8_t>(padding);
    head.frontier = static_cast<uint32_t>(frontier);
    head.flags = frontier_is_target ? 0 : kFrontierIsSource;
    head.epoch = epoch;
    head.number = number;
    head.sample_ns = sample_ns;
    head.gather_ns = gather_ns;
    head.num_hops = static_cast<uint32_t>(num_hops);
    head.input_type = static_cast<uint32_t>(input_type);
    put(&head, sizeof head);
    for (size_t t = 0; t < nodes.size(); ++t) {
      const auto& [node, tree, seed, seed_time, num_nodes, mask, seed_mask, anchor_mask] = nodes[t];
      add(GLS_BATCH_NODE, t, node);
      add(GLS_BATCH_TREE, t, tree);
      add(GLS_BATCH_SEED, t, seed);
      add(GLS_BATCH_SEED_TIME, t, seed_time);
      add(GLS_BATCH_NUM_NODES, t, num_nodes);
      add(GLS_BATCH_NODE_MASK, t, mask);
      add(GLS_BATCH_SEED_MASK, t, seed_mask);
      add(GLS_BATCH_ANCHOR_MASK, t, anchor_mask);
    }
    for (size_t t = 0; t < edges.size(); ++t) {
      const auto& [index, edge, num_edges, mask] = edges[t];
      add(GLS_BATCH_EDGE_INDEX, t, index);
      add(GLS_BATCH_EDGE, t, edge);
      add(GLS_BATCH_NUM_EDGES, t, num_edges);
      add(GLS_BATCH_EDGE_MASK, t, mask);
    }
    add(GLS_BATCH_INPUT, input_type, input);
    if (links.has_value()) {
      const auto& [type, source, target, negative, label, mask, negative_mask] = *links;
      head.flags |= kHasLinks;
      head.link_type = static_cast<uint32_t>(type);
      add(GLS_BATCH_LINK_SOURCE, type, source);
      add(GLS_BATCH_LINK_TARGET, type, target);
      add(GLS_BATCH_LINK_NEGATIVE, type, negative);
      add(GLS_BATCH_LINK_LABEL, type, label);
      add(GLS_BATCH_LINK_MASK, type, mask);
      add(GLS_BATCH_LINK_NEGATIVE_MASK, type, negative_mask);
    }
    if (walks.has_value()) {
      const auto& [type, walk, edge, mask] = *walks;
      head.flags |= kHasWalks;
      head.walk_type = static_cast<uint32_t>(type);
      add(GLS_BATCH_WALK, type, walk);
      add(GLS_BATCH_WALK_EDGE, type, edge);
      add(GLS_BATCH_WALK_MASK, type, mask);
    }
    if (!near.empty()) {
      head.flags |= kHasNear;
    }
    for (size_t t = 0; t < near.size(); ++t) {
      const auto& [seed, node, score, mask] = near[t];
      add(GLS_BATCH_NEAR_SEED, t, seed);
      add(GLS_BATCH_NEAR_NODE, t, node);
      add(GLS_BATCH_NEAR_SCORE, t, score);
      add(GLS_BATCH_NEAR_MASK, t, mask);
    }
    for (const auto& [type, name, negative, label] : labels) {
      add(negative ? GLS_BATCH_ANCHOR_NEGATIVE : GLS_BATCH_ANCHOR_POSITIVE, type, label, name);
    }
    out_.first_column = out_.places.size();
    for (const auto& [of_nodes, type, column, seeds_only, data] : columns) {
      const std::vector<Column>& all =
          of_nodes ? dataset->node_types()[type].columns : dataset->edge_types()[type].columns;
      add(of_nodes ? GLS_BATCH_NODE_COLUMN : GLS_BATCH_EDGE_COLUMN, type, data, {},
          static_cast<size_t>(column - all.data()), seeds_only ? kSeedsOnly : 0);
    }
    for (const auto& [name, data] : attached) {
      add(GLS_BATCH_ATTACHED, 0, data, name);
    }
    GLS_TRY(std::move(status_));
    head.num_arrays = static_cast<uint32_t>(out_.places.size());
    std::memcpy(out_.description.data(), &head, sizeof head);
    place();
    return std::move(out_);
  }

 private:
  void put(const void* data, size_t bytes) {
    const auto* const from = static_cast<const std::byte*>(data);
    out_.description.insert(out_.description.end(), from, from + bytes);
  }

  void add(int32_t array, size_t type, const Tensor& tensor, const std::string& name = {},
           size_t column = 0, int flags = 0) {
    if (!tensor.defined()) {
      return;
    }
    if (tensor.shape().size() > kMostTensorDims || name.size() > kMostName ||
        out_.places.size() == kMostArrays) {
      status_ = error(GLS_ERR_UNSUPPORTED,
                      "array \"{}\": an array with {} dimensions and a name of {} bytes cannot be "
                      "sent, the limits are {} and {}",
                      name, tensor.shape().size(), name.size(), kMostTensorDims, kMostName);
      return;
    }
    Record record{};
    record.array = static_cast<uint16_t>(array);
    record.name_bytes = static_cast<uint16_t>(name.size());
    record.code = tensor.dtype().code;
    record.bits = tensor.dtype().bits;
    record.ndim = static_cast<uint8_t>(tensor.shape().size());
    record.flags = static_cast<uint8_t>(flags);
    record.type = static_cast<uint32_t>(type);
    record.column = static_cast<uint32_t>(column);
    records_.push_back(out_.description.size());
    put(&record, sizeof record);
    put(tensor.shape().data(), tensor.shape().size() * sizeof(int64_t));
    put(name.data(), name.size());
    constexpr uint64_t kZeros = 0;
    put(&kZeros, (8 - name.size() % 8) % 8);
    out_.places.push_back({tensor, 0});
  }

  // Offsets are known once the description's length is known.
  void place() {
    uint64_t at = aligned(out_.description.size());
    for (size_t i = 0; i < out_.places.size(); ++i) {
      BatchLayout::Place& place = out_.places[i];
      place.offset = at;
      std::memcpy(out_.description.data() + records_[i] + offsetof(Record, offset), &at, sizeof at);
      at += aligned(bytes_of(place.tensor));
    }
    out_.bytes = at;
  }

  const Batch& batch_;
  BatchLayout out_;
  std::vector<size_t> records_;  // the start of each record
  Status status_;
};

Status damaged(const char* what) {
  return corrupt("the description of a batch is damaged: {}", what);
}

class Reader {
 public:
  Reader(std::span<const std::byte> description, std::span<const std::byte> block,
         const std::shared_ptr<const void>& owner, const std::shared_ptr<const Dataset>& names,
         bool read_only)
      : left_(description), block_(block), owner_(owner), names_(names), read_only_(read_only) {}

  Result<std::shared_ptr<Batch>> run() {
    Head head;
    if (!take(&head, sizeof head) || head.magic != kMagic) {
      return damaged("it does not begin as one");
    }
    if (head.version != kVersion) {
      return error(GLS_ERR_UNSUPPORTED, "batches have layout {}, expected {}", head.version,
                   kVersion);
    }
    batch_ = std::make_shared<Batch>();
    batch_->dataset = names_;
    batch_->epoch = head.epoch;
    batch_->number = head.number;
    batch_->sample_ns = head.sample_ns;
    batch_->gather_ns = head.gather_ns;
    batch_->num_hops = head.num_hops;
    batch_->nodes.resize(names_->node_types().size());
    batch_->edges.resize(names_->edge_types().size());
    if (head.padding > static_cast<uint8_t>(Padding::kOverflow)) {
      return damaged("padding");
    }
    batch_->padding = static_cast<Padding>(head.padding);
    if (head.frontier > static_cast<uint32_t>(Frontier::kCol)) {
      return damaged("which end was expanded");
    }
    batch_->frontier = static_cast<Frontier>(head.frontier);
    batch_->frontier_is_target = (head.flags & kFrontierIsSource) == 0;
    GLS_TRY(read_parts(head));
    if (head.num_arrays > kMostArrays) {
      return damaged("too many arrays");
    }
    for (uint32_t i = 0; i < head.num_arrays; ++i) {
      GLS_TRY(read_array());
    }
    if (!left_.empty()) {
      return damaged("there is more than it says");
    }
    GLS_TRY(check_counts());
    return std::move(batch_);
  }

 private:
  bool take(void* out, size_t bytes) {
    if (left_.size() < bytes) {
      return false;
    }
    std::memcpy(out, left_.data(), bytes);
    left_ = left_.subspan(bytes);
    return true;
  }

  Status read_parts(const Head& head) {
    const bool of_links = (head.flags & kHasLinks) != 0;
    const size_t input_types = of_links ? batch_->edges.size() : batch_->nodes.size();
    if (head.input_type >= std::max<size_t>(input_types, 1)) {
      return damaged("type of the seeds");
    }
    batch_->input_type = head.input_type;
    if (of_links) {
      if (head.link_type >= batch_->edges.size()) {
        return damaged("type of the links");
      }
      batch_->links.emplace().edge_type = head.link_type;
    }
    if ((head.flags & kHasWalks) != 0) {
      if (head.walk_type >= batch_->nodes.size()) {
        return damaged("type of the walks");
      }
      batch_->walks.emplace().node_type = head.walk_type;
    }
    if ((head.flags & kHasNear) != 0) {
      batch_->near.resize(batch_->nodes.size());
    }
    return {};
  }

  // A view of the block, after checking the shape and the place.
  Result<Tensor> view(const Record& record) {
    const DLDataType dtype{record.code, record.bits, 1};
    if (!dtype_supported(dtype) || record.ndim == 0 || record.ndim > kMostTensorDims) {
      return damaged("dtype or dimensions");
    }
    std::vector<int64_t> shape(record.ndim);
    if (!take(shape.data(), shape.size() * sizeof(int64_t))) {
      return damaged("it ends too early");
    }
    // Counts dimensions of 0 as 1, so that no later product of some of them is too large either.
    uint64_t bytes = dtype_bytes(dtype);
    bool empty = false;
    for (const int64_t dim : shape) {
      if (dim < 0) {
        return damaged("a negative dimension");
      }
      const auto factor = static_cast<uint64_t>(std::max<int64_t>(dim, 1));
      if (bytes > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()) / factor) {
        return damaged("a dimension is too large");
      }
      bytes *= factor;
      empty = empty || dim == 0;
    }
    bytes = empty ? 0 : bytes;
    if (record.offset % kBlockAlignment != 0 || record.offset > block_.size() ||
        bytes > block_.size() - record.offset) {
      return damaged("an array is outside of its block");
    }
    return Tensor(owner_, block_.data() + record.offset, dtype, std::move(shape), read_only_);
  }

  Status read_array() {
    Record record;
    if (!take(&record, sizeof record)) {
      return damaged("it ends too early");
    }
    GLS_ASSIGN(Tensor tensor, view(record));
    const size_t padded = (record.name_bytes + size_t{7}) / 8 * 8;
    if (record.name_bytes > kMostName || left_.size() < padded) {
      return damaged("a name");
    }
    std::string name(reinterpret_cast<const char*>(left_.data()), record.name_bytes);
    left_ = left_.subspan(padded);
    switch (record.array) {
      case GLS_BATCH_NODE_COLUMN:
      case GLS_BATCH_EDGE_COLUMN:
        return add_column(record, std::move(tensor));
      case GLS_BATCH_ATTACHED:
        GLS_TRY(check_name(name, "attached array"));
        batch_->attached.push_back({std::move(name), std::move(tensor)});
        return {};
      case GLS_BATCH_ANCHOR_POSITIVE:
      case GLS_BATCH_ANCHOR_NEGATIVE:
        if (record.type >= batch_->nodes.size()) {
          return damaged("a type");
        }
        if (name.empty() || name.find('\0') != std::string::npos) {
          return damaged("a name");
        }
        batch_->labels.push_back({record.type, std::move(name),
                                  record.array == GLS_BATCH_ANCHOR_NEGATIVE, std::move(tensor)});
        return {};
      case GLS_BATCH_NUM_NODES:
      case GLS_BATCH_NUM_EDGES:
        return add_counts(record, tensor);
      default:
        break;
    }
    Tensor* const slot = find(record);
    if (slot == nullptr) {
      return damaged("an array that such a batch does not have");
    }
    if (record.array == GLS_BATCH_EDGE_INDEX &&
        (tensor.shape().size() != 2 || tensor.shape()[0] != 2 ||
         !(same_dtype(tensor.dtype(), kInt64) || same_dtype(tensor.dtype(), kInt32)))) {
      return damaged("shape or dtype of edges");
    }
    *slot = std::move(tensor);
    return {};
  }

  Tensor* find(const Record& record) {
    const size_t type = record.type;
    if (record.array == GLS_BATCH_INPUT) {
      return type == batch_->input_type ? &batch_->input : nullptr;
    }
    if (batch_->links.has_value() && type == batch_->links->edge_type) {
      SampledLinks& links = *batch_->links;
      switch (record.array) {
        case GLS_BATCH_LINK_SOURCE:
          return &links.source;
        case GLS_BATCH_LINK_TARGET:
          return &links.target;
        case GLS_BATCH_LINK_NEGATIVE:
          return &links.negative;
        case GLS_BATCH_LINK_LABEL:
          return &links.label;
        case GLS_BATCH_LINK_MASK:
          return &links.mask;
        case GLS_BATCH_LINK_NEGATIVE_MASK:
          return &links.negative_mask;
        default:
          break;
      }
    }
    Tensor* const of_nodes = type < batch_->nodes.size() ? find_of_nodes(record) : nullptr;
    return of_nodes != nullptr || type >= batch_->edges.size() ? of_nodes : find_of_edges(record);
  }

  Tensor* find_of_nodes(const Record& record) {
    SampledNodes& nodes = batch_->nodes[record.type];
    SampledNear* const near = batch_->near.empty() ? nullptr : &batch_->near[record.type];
    SampledWalks* const walks = batch_->walks.has_value() && batch_->walks->node_type == record.type
                                    ? &*batch_->walks
                                    : nullptr;
    switch (record.array) {
      case GLS_BATCH_NODE:
        return &nodes.node;
      case GLS_BATCH_TREE:
        return &nodes.tree;
      case GLS_BATCH_SEED:
        return &nodes.seed;
      case GLS_BATCH_SEED_TIME:
        return &nodes.seed_time;
      case GLS_BATCH_NODE_MASK:
        return &nodes.mask;
      case GLS_BATCH_SEED_MASK:
        return &nodes.seed_mask;
      case GLS_BATCH_ANCHOR_MASK:
        return &nodes.anchor_mask;
      case GLS_BATCH_WALK:
        return walks != nullptr ? &walks->walk : nullptr;
      case GLS_BATCH_WALK_EDGE:
        return walks != nullptr ? &walks->edge : nullptr;
      case GLS_BATCH_WALK_MASK:
        return walks != nullptr ? &walks->mask : nullptr;
      case GLS_BATCH_NEAR_SEED:
        return near != nullptr ? &near->seed : nullptr;
      case GLS_BATCH_NEAR_NODE:
        return near != nullptr ? &near->node : nullptr;
      case GLS_BATCH_NEAR_SCORE:
        return near != nullptr ? &near->score : nullptr;
      case GLS_BATCH_NEAR_MASK:
        return near != nullptr ? &near->mask : nullptr;
      default:
        return nullptr;
    }
  }

  Tensor* find_of_edges(const Record& record) {
    SampledEdges& edges = batch_->edges[record.type];
    switch (record.array) {
      case GLS_BATCH_EDGE_INDEX:
        return &edges.index;
      case GLS_BATCH_EDGE:
        return &edges.edge;
      case GLS_BATCH_EDGE_MASK:
        return &edges.mask;
      default:
        return nullptr;
    }
  }

  Status add_column(const Record& record, Tensor tensor) {
    const bool of_nodes = record.array == GLS_BATCH_NODE_COLUMN;
    if (record.type >= (of_nodes ? batch_->nodes.size() : batch_->edges.size())) {
      return damaged("a type");
    }
    const std::vector<Column>& columns = of_nodes ? names_->node_types()[record.type].columns
                                                  : names_->edge_types()[record.type].columns;
    if (record.column >= columns.size()) {
      return damaged("a column");
    }
    batch_->columns.push_back({of_nodes, record.type, &columns[record.column],
                               (record.flags & kSeedsOnly) != 0, std::move(tensor)});
    return {};
  }

  // The library reads these counts, so it copies them; a process that can write the block cannot
  // change the copies.
  Status add_counts(const Record& record, const Tensor& tensor) {
    const bool of_nodes = record.array == GLS_BATCH_NUM_NODES;
    if (record.type >= (of_nodes ? batch_->nodes.size() : batch_->edges.size())) {
      return damaged("a type");
    }
    constexpr int64_t kMostHops = 1 << 16;
    if (!same_dtype(tensor.dtype(), kInt64) || tensor.shape().size() != 1 ||
        tensor.rows() > kMostHops || (of_nodes && tensor.rows() == 0)) {
      return damaged("counts of nodes or edges");
    }
    const std::vector<int64_t> counts(tensor.as<int64_t>(), tensor.as<int64_t>() + tensor.rows());
    // Limits each count, so that no possible sum overflows.
    constexpr int64_t kMost = int64_t{1} << 40;
    for (const int64_t count : counts) {
      if (count < 0 || count > kMost) {
        return damaged("counts of nodes or edges");
      }
    }
    Tensor copy = counts_tensor(counts);
    (of_nodes ? batch_->nodes[record.type].num_nodes : batch_->edges[record.type].num_edges) =
        std::move(copy);
    return {};
  }

  Status check_counts() const {
    if (!batch_->input.defined()) {
      return damaged("there are no seeds");
    }
    if (!same_dtype(batch_->input.dtype(), kInt64) || batch_->input.shape().size() != 1) {
      return damaged("positions of seeds");  // the library counts them
    }
    for (const SampledNodes& type : batch_->nodes) {
      if (!type.num_nodes.defined()) {
        return damaged("counts of nodes are missing");
      }
    }
    for (const SampledEdges& type : batch_->edges) {
      if (!type.num_edges.defined()) {
        return damaged("counts of edges are missing");
      }
    }
    return {};
  }

  std::span<const std::byte> left_;
  std::span<const std::byte> block_;
  const std::shared_ptr<const void>& owner_;
  const std::shared_ptr<const Dataset>& names_;
  const bool read_only_;
  std::shared_ptr<Batch> batch_;
};

}  // namespace

Result<BatchLayout> lay_out(const Batch& batch) { return Writer(batch).run(); }

uint64_t BatchLayout::copied_bytes() const {
  uint64_t sum = 0;
  for (const Place& place : places) {
    sum += place.tensor.data() != nullptr ? bytes_of(place.tensor) : 0;
  }
  return sum;
}

void BatchLayout::set_gather_ns(uint64_t ns) {
  std::memcpy(description.data() + offsetof(Head, gather_ns), &ns, sizeof ns);
}

void write_batch(const BatchLayout& layout, std::byte* block) {
  std::memcpy(block, layout.description.data(), layout.description.size());
  // Gaps are zeroed, so that old contents of the memory do not leak.
  const auto zeros_from = [block](uint64_t end) {
    std::memset(block + end, 0, aligned(end) - end);
  };
  zeros_from(layout.description.size());
  for (const auto& [tensor, offset] : layout.places) {
    const auto row = static_cast<size_t>(tensor.row_bytes());
    const auto rows = static_cast<size_t>(tensor.rows());
    if (row * rows == 0) {
      continue;
    }
    zeros_from(offset + row * rows);
    if (tensor.data() == nullptr) {
      continue;
    }
    if (tensor.contiguous()) {
      std::memcpy(block + offset, tensor.data(), row * rows);
      continue;
    }
    for (size_t i = 0; i < rows; ++i) {
      std::memcpy(block + offset + i * row,
                  tensor.data() + static_cast<int64_t>(i) * tensor.row_stride(), row);
    }
  }
}

Result<std::shared_ptr<Batch>> read_batch(std::span<const std::byte> description,
                                          std::span<const std::byte> block,
                                          const std::shared_ptr<const void>& owner,
                                          const std::shared_ptr<const Dataset>& names,
                                          bool read_only) {
  return Reader(description, block, owner, names, read_only).run();
}

}  // namespace gls
