// Requests; replies.cc holds the replies.
#include "cluster/wire/messages.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "cluster/wire/envelope.h"
#include "cluster/wire/wire_integers.h"

namespace gls::cluster {
namespace {

using Builder = flatbuffers::FlatBufferBuilder;
using EdgeLists = flatbuffers::Vector<flatbuffers::Offset<wire::EdgeList>>;

// Ids take 4 bytes wherever they fit.
bool needs_wide(const IdSpan& ids) { return ids.wide() && ids.find_outside(int64_t{1} << 31) >= 0; }

void write_ids(const IdSpan& ids, bool wide, std::byte* to) {
  if (ids.wide() == wide) {
    std::copy_n(static_cast<const std::byte*>(ids.data()), ids.size() * (wide ? 8 : 4), to);
    return;
  }
  auto* const out = reinterpret_cast<int32_t*>(to);  // `wide` is true only where the ids are wide
  for (int64_t i = 0; i < ids.size(); ++i) {
    out[i] = static_cast<int32_t>(ids[i]);
  }
}

// The arrays of a message: their lengths and contents.
class Arrays {
 public:
  void add(const IdSpan& ids, bool wide) {
    sizes_.push_back(static_cast<uint64_t>(ids.size()) * (wide ? 8 : 4));
    pieces_.push_back({ids, wide, sizes_.size() - 1, 0});
  }
  // Appends to the last array.
  void add_behind(const IdSpan& ids, bool wide) {
    const uint64_t offset = sizes_.back();
    sizes_.back() += static_cast<uint64_t>(ids.size()) * (wide ? 8 : 4);
    pieces_.push_back({ids, wide, sizes_.size() - 1, offset});
  }
  template <typename Table>
  net::Message pack_with(const Pool& pool, Builder& builder, flatbuffers::Offset<Table> body) {
    Packed packed = pack(pool, builder, body, sizes_);
    for (const Piece& piece : pieces_) {
      write_ids(piece.ids, piece.wide, packed.arrays[piece.array] + piece.offset);
    }
    return std::move(packed.message);
  }

 private:
  struct Piece {
    IdSpan ids;
    bool wide;
    size_t array;
    uint64_t offset;
  };
  std::vector<uint64_t> sizes_;
  std::vector<Piece> pieces_;
};

// ---- excluded edges ----

Status add_edges(const EdgeSet& set, Builder& builder,
                 std::vector<flatbuffers::Offset<wire::EdgeList>>* lists, Arrays* arrays) {
  const Tensor& edges = set.edges;
  const std::vector<int64_t>& shape = edges.shape();
  const bool wide = same_dtype(edges.dtype(), kInt64);
  const bool pairs = shape.size() == 2 && shape[0] == 2;
  if ((!wide && !same_dtype(edges.dtype(), kInt32)) || (!pairs && shape.size() != 1) ||
      (!pairs && !edges.contiguous())) {
    return invalid("exclude: edges are {} {}, expected int32 or int64 [n] ids or [2, n] pairs",
                   dtype_name(edges.dtype()), shape_text(shape))
        .with("argument", "exclude");
  }
  const int64_t count = pairs ? shape[1] : shape[0];
  arrays->add(IdSpan(edges.data(), wide, count), wide);
  if (pairs) {
    arrays->add_behind(IdSpan(edges.data() + edges.row_stride(), wide, count), wide);
  }
  lists->push_back(wire::CreateEdgeList(builder, static_cast<uint32_t>(set.edge_type), pairs, wide,
                                        static_cast<uint64_t>(count)));
  return {};
}

Result<flatbuffers::Offset<EdgeLists>> add_exclude(const std::vector<EdgeSet>& exclude,
                                                   Builder& builder, Arrays* arrays) {
  std::vector<flatbuffers::Offset<wire::EdgeList>> lists;
  for (const EdgeSet& set : exclude) {
    GLS_TRY(add_edges(set, builder, &lists, arrays));
  }
  return builder.CreateVector(lists);
}

Result<std::vector<EdgeSet>> take_exclude(const EdgeLists& lists, Unpacker& unpacker) {
  std::vector<EdgeSet> out;
  out.reserve(lists.size());
  for (const auto* list : lists) {
    const bool pairs = list->pairs();
    const uint64_t width = uint64_t{list->wide() ? 8U : 4U} * (pairs ? 2 : 1);
    const std::byte* data = nullptr;
    GLS_TRY(unpacker.take(list->count(), width, &data));
    const auto count = static_cast<int64_t>(list->count());
    std::vector<int64_t> shape = pairs ? std::vector<int64_t>{2, count} : std::vector{count};
    out.push_back({list->edge_type(),
                   Tensor(nullptr, data, list->wide() ? kInt64 : kInt32, std::move(shape))});
  }
  return out;
}

}  // namespace

const char* name_of(Kind kind) {
  switch (kind) {
    case Kind::kDescribe:
      return "what is served";
    case Kind::kArray:
      return "bytes of an array";
    case Kind::kOpenSampler:
      return "a sampler to be opened";
    case Kind::kHop:
      return "picks of a hop";
    case Kind::kRows:
      return "rows of a column";
    case Kind::kFiles:
      return "its files";
    case Kind::kEdges:
      return "what is known of edges";
    case Kind::kOpenBatches:
      return "batches to be opened";
    case Kind::kBatch:
      return "a batch";
    case Kind::kWindows:
      return "what can be read of its memory";
    case Kind::kServers:
      return "who else serves the graph";
    case Kind::kMoreServers:
      return "news of servers";
  }
  return "something";
}

// ---- describe ----

net::Message encode_describe(const Pool& pool) {
  Builder builder;
  return Arrays().pack_with(pool, builder, wire::CreateDescribeRequest(builder));
}

Status decode_describe(Bytes bytes) {
  const Unpacker unpacker(bytes);
  return unpacker.body<wire::DescribeRequest>() != nullptr
             ? unpacker.finish()
             : malformed("a request for a description");
}

// ---- servers ----

net::Message encode(const Pool& pool, const ServersRequest& request) {
  Builder builder;
  const auto address = builder.CreateString(request.address);
  return Arrays().pack_with(pool, builder,
                            wire::CreateServersRequest(builder, request.graph, address));
}

Result<ServersRequest> decode_servers_request(Bytes bytes) {
  const Unpacker unpacker(bytes);
  const auto* const body = unpacker.body<wire::ServersRequest>();
  if (body == nullptr) {
    return malformed("a request for servers");
  }
  GLS_TRY(unpacker.finish());
  if (body->address()->size() > kMostAddressBytes) {
    return corrupt("an address has {} bytes, expected at most {}", body->address()->size(),
                   kMostAddressBytes);
  }
  return ServersRequest{body->graph(), body->address()->str()};
}

// ---- arrays ----

net::Message encode(const Pool& pool, const ArrayRequest& request) {
  Builder builder;
  const auto file = builder.CreateString(request.file);
  return Arrays().pack_with(
      pool, builder,
      wire::CreateArrayRequest(builder, request.graph, file, request.offset, request.bytes));
}

Result<ArrayRequest> decode_array_request(Bytes bytes) {
  const Unpacker unpacker(bytes);
  const auto* const body = unpacker.body<wire::ArrayRequest>();
  if (body == nullptr) {
    return malformed("a request for an array");
  }
  GLS_TRY(unpacker.finish());
  return ArrayRequest{body->graph(), body->file()->str(), body->offset(), body->bytes()};
}

// ---- samplers ----

Result<net::Message> encode(const Pool& pool, const OpenRequest& request) {
  const SamplerOptions& options = request.options;
  Builder builder;
  Arrays arrays;
  GLS_ASSIGN(const auto exclude, add_exclude(options.exclude, builder, &arrays));
  std::vector<int64_t> flat;
  for (const std::vector<int64_t>& fanouts : options.fanouts) {
    if (fanouts.size() != options.num_hops) {
      return invalid("fanouts: {} hops of an edge type, expected {}", fanouts.size(),
                     options.num_hops)
          .with("argument", "fanouts");
    }
    flat.insert(flat.end(), fanouts.begin(), fanouts.end());
  }
  const auto fanouts = builder.CreateVector(flat);
  const auto weight = builder.CreateString(options.weight);
  const auto node_time = builder.CreateString(options.node_time);
  const auto edge_time = builder.CreateString(options.edge_time);
  wire::OpenRequestBuilder body(builder);
  body.add_graph(request.graph);
  body.add_part(request.part);
  body.add_seed(options.seed);
  body.add_num_hops(static_cast<uint32_t>(options.num_hops));
  body.add_fanouts(fanouts);
  body.add_direction(static_cast<uint8_t>(options.direction));
  body.add_replace(static_cast<uint8_t>(options.replace));
  body.add_edge_ids(options.edge_ids);
  body.add_disjoint(options.disjoint);
  body.add_int32_ids(options.int32);
  body.add_weight(weight);
  body.add_node_time(node_time);
  body.add_edge_time(edge_time);
  body.add_time_strict(options.time_strict);
  body.add_time_window(options.time_window);
  body.add_time_strategy(static_cast<uint8_t>(options.time_strategy));
  body.add_pick(static_cast<uint8_t>(options.pick));
  body.add_batch_dependency(options.batch_dependency);
  body.add_layer_dependent(options.layer_dependent);
  body.add_exclude(exclude);
  return arrays.pack_with(pool, builder, body.Finish());
}

Result<OpenRequest> decode_open_request(Bytes bytes) {
  Unpacker unpacker(bytes);
  const auto* const body = unpacker.body<wire::OpenRequest>();
  if (body == nullptr) {
    return malformed("a request for a sampler");
  }
  OpenRequest out;
  out.graph = body->graph();
  out.part = body->part();
  SamplerOptions& options = out.options;
  options.seed = body->seed();
  options.num_hops = body->num_hops();
  const std::vector<int64_t> flat = numbers_in(*body->fanouts());
  if (options.num_hops == 0 || flat.size() % options.num_hops != 0) {
    return invalid("fanouts: {} of them for {} hops", flat.size(), options.num_hops)
        .with("argument", "fanouts");
  }
  for (auto at = flat.begin(); at != flat.end(); at += body->num_hops()) {
    options.fanouts.emplace_back(at, at + body->num_hops());
  }
  GLS_TRY(take_choice(body->direction(), Direction::kOut, "direction", &options.direction));
  GLS_TRY(take_choice(body->replace(), Replace::kAlways, "replace", &options.replace));
  GLS_TRY(take_choice(body->time_strategy(), TimeStrategy::kLast, "time_strategy",
                      &options.time_strategy));
  GLS_TRY(take_choice(body->pick(), Pick::kLayer, "pick", &options.pick));
  options.edge_ids = body->edge_ids();
  options.disjoint = body->disjoint();
  options.int32 = body->int32_ids();
  options.weight = body->weight()->str();
  options.node_time = body->node_time()->str();
  options.edge_time = body->edge_time()->str();
  options.time_strict = body->time_strict();
  options.time_window = body->time_window();
  options.batch_dependency = body->batch_dependency();
  options.layer_dependent = body->layer_dependent();
  GLS_ASSIGN(options.exclude, take_exclude(*body->exclude(), unpacker));
  GLS_TRY(unpacker.finish());
  return out;
}

// ---- hops ----

Result<net::Message> encode(const Pool& pool, const HopRequest& request) {
  const HopQuestion& question = request.question;
  if (const int64_t bad = question.trees.find_outside(int64_t{1} << 31); bad >= 0) {
    return invalid("hop: tree {} at index {} is outside 0 .. {}", question.trees[bad], bad,
                   (int64_t{1} << 31) - 1);
  }
  Builder builder;
  Arrays arrays;
  const bool wide = needs_wide(question.nodes);
  const bool wide_times = question.times.wide();
  arrays.add(question.nodes, wide);
  arrays.add(question.trees, false);
  arrays.add(question.times, wide_times);
  GLS_ASSIGN(const auto exclude, add_exclude(question.exclude, builder, &arrays));
  const auto body = wire::CreateHopRequest(
      builder, request.sampler, question.epoch, question.batch,
      static_cast<uint32_t>(question.edge_type), static_cast<uint32_t>(question.hop),
      static_cast<uint64_t>(question.nodes.size()), wide,
      static_cast<uint64_t>(question.trees.size()), static_cast<uint64_t>(question.times.size()),
      wide_times, exclude);
  return arrays.pack_with(pool, builder, body);
}

Result<HopRequest> decode_hop_request(Bytes bytes) {
  Unpacker unpacker(bytes);
  const auto* const body = unpacker.body<wire::HopRequest>();
  if (body == nullptr) {
    return malformed("a request for a hop");
  }
  HopRequest out;
  out.sampler = body->sampler();
  HopQuestion& question = out.question;
  question.epoch = body->epoch();
  question.batch = body->batch();
  question.edge_type = body->edge_type();
  question.hop = body->hop();
  GLS_TRY(unpacker.take(body->nodes(), body->wide(), &question.nodes));
  GLS_TRY(unpacker.take(body->trees(), false, &question.trees));
  GLS_TRY(unpacker.take(body->times(), body->wide_times(), &question.times));
  GLS_ASSIGN(question.exclude, take_exclude(*body->exclude(), unpacker));
  GLS_TRY(unpacker.finish());
  return out;
}

// ---- rows ----

net::Message encode(const Pool& pool, const RowsRequest& request) {
  Builder builder;
  Arrays arrays;
  const bool wide = needs_wide(request.ids);
  arrays.add(request.ids, wide);
  const auto column = builder.CreateString(request.column);
  const auto dtype = builder.CreateString(dtype_name(request.dtype));
  const auto body = wire::CreateRowsRequest(builder, request.graph, request.part, request.of_nodes,
                                            static_cast<uint32_t>(request.type), column, dtype,
                                            static_cast<uint64_t>(request.ids.size()), wide);
  return arrays.pack_with(pool, builder, body);
}

Result<RowsRequest> decode_rows_request(Bytes bytes) {
  Unpacker unpacker(bytes);
  const auto* const body = unpacker.body<wire::RowsRequest>();
  if (body == nullptr) {
    return malformed("a request for rows");
  }
  RowsRequest out;
  out.graph = body->graph();
  out.part = body->part();
  out.of_nodes = body->of_nodes();
  out.type = body->type();
  out.column = body->column()->str();
  GLS_ASSIGN(out.dtype, parse_dtype(body->dtype()->string_view()));
  GLS_TRY(unpacker.take(body->ids(), body->wide(), &out.ids));
  GLS_TRY(unpacker.finish());
  return out;
}

// ---- edges ----

net::Message encode(const Pool& pool, const EdgesRequest& request) {
  const EdgeQuestion& question = request.question;
  Builder builder;
  Arrays arrays;
  const bool wide = needs_wide(question.ids);
  const bool wide_others = needs_wide(question.others);
  arrays.add(question.ids, wide);
  arrays.add(question.others, wide_others);
  const auto body = wire::CreateEdgesRequest(
      builder, request.graph, request.part, static_cast<uint8_t>(question.what),
      static_cast<uint32_t>(question.edge_type), static_cast<uint8_t>(question.layout),
      static_cast<uint64_t>(question.ids.size()), wide,
      static_cast<uint64_t>(question.others.size()), wide_others);
  return arrays.pack_with(pool, builder, body);
}

Result<EdgesRequest> decode_edges_request(Bytes bytes) {
  Unpacker unpacker(bytes);
  const auto* const body = unpacker.body<wire::EdgesRequest>();
  if (body == nullptr) {
    return malformed("a question about edges");
  }
  EdgesRequest out;
  out.graph = body->graph();
  out.part = body->part();
  EdgeQuestion& question = out.question;
  GLS_TRY(take_choice(body->what(), EdgeQuestion::What::kPairs, "what", &question.what));
  GLS_TRY(take_choice(body->layout(), Layout::kCsr, "layout", &question.layout));
  question.edge_type = body->edge_type();
  GLS_TRY(unpacker.take(body->ids(), body->wide(), &question.ids));
  GLS_TRY(unpacker.take(body->others(), body->wide_others(), &question.others));
  GLS_TRY(unpacker.finish());
  return out;
}

// ---- files ----

net::Message encode(const Pool& pool, const FilesRequest& request) {
  Builder builder;
  const auto place = builder.CreateVector(request.inbox.place.data(), request.inbox.place.size());
  const auto secret =
      builder.CreateVector(request.inbox.secret.data(), request.inbox.secret.size());
  return Arrays().pack_with(pool, builder,
                            wire::CreateFilesRequest(builder, request.graph, request.part, place,
                                                     secret, request.of_partition));
}

Result<FilesRequest> decode_files_request(Bytes bytes) {
  const Unpacker unpacker(bytes);
  const auto* const body = unpacker.body<wire::FilesRequest>();
  FilesRequest out;
  if (body == nullptr || body->place()->size() != out.inbox.place.size() ||
      body->secret()->size() != out.inbox.secret.size()) {
    return malformed("a request for files");
  }
  GLS_TRY(unpacker.finish());
  out.graph = body->graph();
  out.part = body->part();
  std::copy(body->place()->begin(), body->place()->end(), out.inbox.place.begin());
  std::copy(body->secret()->begin(), body->secret()->end(), out.inbox.secret.begin());
  out.of_partition = body->of_partition();
  return out;
}

}  // namespace gls::cluster
