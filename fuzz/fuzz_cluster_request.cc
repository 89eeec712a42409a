// Requests to a server of parts of a graph, and replies to a client: any bytes, requests built from
// the input, and those with some bytes changed.
#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "cluster/batches/batch_recipe.h"
#include "cluster/batches/batch_validation.h"
#include "cluster/discovery/graph_description.h"
#include "cluster/part/partitioned_dataset.h"
#include "cluster/server/part_service.h"
#include "cluster/wire/batch_messages.h"
#include "cluster/wire/messages.h"
#include "cluster/wire/remote_memory_messages.h"
#include "graph/folder/dataset_folder.h"
#include "ingest/build/builder.h"
#include "ingest/partition/write_parts.h"
#include "small_graph.h"

namespace {

using namespace gls;
using namespace gls::cluster;
using net::Message;

constexpr int64_t kNodes = 20;
constexpr Kind kKinds[] = {Kind::kDescribe, Kind::kArray, Kind::kOpenSampler, Kind::kHop,
                           Kind::kRows,     Kind::kFiles, Kind::kEdges,       Kind::kWindows};

std::shared_ptr<const Dataset> graph_with_columns() {
  Builder builder(fuzz::shared_context());
  NodeTypeOptions nodes;
  nodes.num_nodes = kNodes;
  CLAIM(builder.add_node_type("node", nodes).ok());
  std::vector<int64_t> numbers;
  std::vector<int64_t> source;
  std::vector<int64_t> target;
  for (int64_t v = 0; v < kNodes; ++v) {
    numbers.push_back(v * 3);
    for (const int64_t step : {1, 2, 7}) {
      source.push_back((v + step) % kNodes);
      target.push_back(v);
    }
  }
  const auto ids = [](const std::vector<int64_t>& values) { return fuzz::owned(values, kInt64); };
  CLAIM(builder.add_node_column("node", "x", GLS_ROLE_FEATURE, ids(numbers)).ok());
  CLAIM(builder.add_node_column("node", "time", GLS_ROLE_TIME, ids(numbers)).ok());
  CLAIM(builder.add_edges("node__to__node", ids(source), ids(target), false).ok());
  std::vector<float> weights(source.size(), 0.5F);
  CLAIM(builder
            .add_edge_column("node__to__node", "w", GLS_ROLE_WEIGHT,
                             fuzz::owned(std::move(weights), kFloat32))
            .ok());
  BuildOptions both;
  both.csr = true;
  auto built = builder.build(both);
  CLAIM(built.ok());
  return built.take();
}

struct World {
  World() {
    const std::string path = folder.file(0);
    PartsOptions cut;
    cut.parts = 2;
    std::vector<uint8_t> owners(kNodes);
    for (size_t v = 0; v < owners.size(); ++v) {
      owners[v] = v * v % 3 == 1;
    }
    CLAIM(write_parts(*graph_with_columns(), {fuzz::owned(owners, kUint8)}, path, cut).ok());
    auto opened = open_partition(path);
    CLAIM(opened.ok());
    partition = opened.take();
    std::vector<std::shared_ptr<const Dataset>> parts;
    for (const uint32_t part : {0, 1}) {
      auto dataset = open_dataset(fuzz::shared_context(), partition->part_path(part), {});
      CLAIM(dataset.ok());
      parts.push_back(dataset.take());
    }
    PartServiceOptions options;
    options.most_samplers = 4;
    options.gives_files = true;
    auto opened_inbox = net::DescriptorInbox::open();
    CLAIM(opened_inbox.ok());
    inbox = opened_inbox.take();
    auto made = PartService::create(partition, parts, options);
    CLAIM(made.ok());
    service = made.take();
    graph = graph_number(partition->file());
    auto all = open_whole(fuzz::shared_context(), path, {});
    CLAIM(all.ok());
    whole = all.take();
  }

  fuzz::TempFolder folder;
  std::shared_ptr<const Partition> partition;
  std::shared_ptr<PartService> service;
  std::shared_ptr<const Dataset> whole;
  uint64_t graph = 0;
  net::DescriptorInbox inbox;
  std::shared_ptr<BufferPool> pool = fuzz::shared_context()->buffers();
};

World& world() {
  static World out;
  return out;
}

// The reply: bytes, or an error with a text.
std::optional<Message> ask(Kind kind, const Message& request) {
  std::optional<Message> out;
  int answers = 0;
  const auto done = [&](Result<Message> reply) {
    ++answers;
    if (reply.ok()) {
      out = reply.take();
    } else {
      fuzz::claim_error(reply.status());
    }
  };
  world().service->answer(kind, request.bytes(), done,
                          [](const Tensor&) -> Result<net::Bytes> { return net::Bytes(8); });
  CLAIM(answers == 1);
  return out;
}

// ---- answers ----

void read_answer(std::span<const std::byte> bytes) {
  const auto message = [&] { return Message::copied(world().pool, bytes); };
  const auto claim = [](auto read) {
    if (!read.ok()) {
      fuzz::claim_error(read.status());
    }
  };
  if (auto picks = decode_picks(message()); picks.ok()) {
    CLAIM(decode_picks(encode(world().pool, *picks)).ok());
  }
  claim(decode_array_chunk(message()));
  const Message kept = message();
  claim(decode_description(kept.bytes()));
  claim(decode_files(kept.bytes()));
  claim(decode_opened(kept.bytes()));
  claim(decode_servers_request(kept.bytes()));
  if (auto servers = decode_servers(kept.bytes()); servers.ok()) {
    CLAIM(decode_servers(encode_servers(world().pool, *servers).bytes()).ok());
  } else {
    fuzz::claim_error(servers.status());
  }
  if (auto windows = decode_windows(kept.bytes()); windows.ok()) {
    CLAIM(decode_windows(encode_windows(world().pool, *windows).bytes()).ok());
  } else {
    fuzz::claim_error(windows.status());
  }
  claim(decode_edges_answer(message(), 3));
  claim(decode_batch(message(), world().whole));
}

// ---- batches ----

// A loader or an error. Makes no batches, since the input may request any size.
std::shared_ptr<const Loader> open_batches(const Message& message) {
  const auto kept = std::make_shared<const Message>(Message::copied(world().pool, message.bytes()));
  auto request = decode_batches_request(kept->bytes(), kept);
  if (!request.ok()) {
    fuzz::claim_error(request.status());
    return nullptr;
  }
  // Encoding it again gives the same message.
  auto again = encode(world().pool, *request);
  CLAIM(again.ok());
  const auto kept_again = std::make_shared<const Message>(again.take());
  CLAIM(decode_batches_request(kept_again->bytes(), kept_again).ok());
  auto loader = make_loader(world().whole, request.take());
  if (!loader.ok()) {
    fuzz::claim_error(loader.status());
    return nullptr;
  }
  return loader.take();
}

// Changes some bytes, as the rest of the input chooses.
void change(fuzz::Input& input, const Message& message) {
  while (!input.empty() && message.size() > 0) {
    message.bytes()[input.number(2) % message.size()] = static_cast<std::byte>(input.byte());
  }
}

// ---- requests built from the input ----

class Questions {
 public:
  explicit Questions(fuzz::Input& input) : input_(input) {}

  Message make(Kind kind) {
    const World& in = world();
    switch (kind) {
      case Kind::kDescribe:
        return encode_describe(in.pool);
      case Kind::kArray:
        return encode(in.pool, ArrayRequest{in.graph, file(), input_.number(2), input_.number(2)});
      case Kind::kOpenSampler:
        return encode(in.pool, open_request()).take();
      case Kind::kHop:
        return encode(in.pool, hop_request(input_.number(1))).take();
      case Kind::kFiles:
        return encode(in.pool,
                      FilesRequest{in.graph, input_.below(3), inbox(), input_.below(2) == 1});
      case Kind::kEdges:
        return encode(in.pool, edges_request());
      case Kind::kWindows:
        return encode(in.pool, RemoteMemoryRequest{in.graph, input_.below(3)});
      default:
        return encode(in.pool, rows_request());
    }
  }

  // Opens a sampler and requests a hop.
  void hop() {
    const OpenRequest request = open_request();
    const auto opened = ask(Kind::kOpenSampler, encode(world().pool, request).take());
    if (!opened.has_value()) {
      return;
    }
    auto number = decode_opened(opened->bytes());
    CLAIM(number.ok());
    Message last;
    for (uint32_t i = 1 + input_.below(4); i > 0; --i) {
      const HopRequest asked = hop_request(*number);
      auto reply = ask(Kind::kHop, encode(world().pool, asked).take());
      if (reply.has_value()) {
        last = Message::copied(world().pool, reply->bytes());
        auto picks = decode_picks(std::move(*reply));
        CLAIM(picks.ok());
        CLAIM(picks->counts.rows() == asked.question.nodes.size());
        CLAIM(picks->edge_ids.defined() == request.options.edge_ids);
      }
    }
    change(input_, last);
    read_answer(last.bytes());
  }

  void rows() {
    const RowsRequest request = rows_request();
    const auto reply = ask(Kind::kRows, encode(world().pool, request));
    if (reply.has_value()) {
      CLAIM(check_rows(reply->bytes(), static_cast<uint64_t>(request.ids.size()),
                       dtype_bytes(request.dtype))
                .ok());
    }
  }

  void edges() {
    const EdgesRequest request = edges_request();
    const bool of_ends = request.question.what == EdgeQuestion::What::kEnds;
    auto reply = ask(Kind::kEdges, encode(world().pool, request));
    if (reply.has_value()) {
      CLAIM(decode_edges_answer(std::move(*reply), request.question.ids.size() * (of_ends ? 2 : 1))
                .ok());
    }
  }

  // Requests batches, and reads one of them with some bytes changed.
  void batches() {
    const BatchesRequest request = batches_request();
    auto message = encode(world().pool, request);
    CLAIM(message.ok());
    const std::shared_ptr<const Loader> loader = open_batches(*message);
    if (!wild_ && loader != nullptr && loader->counts().batches > 0) {
      auto batch = loader->sample(input_.byte(), 0);
      if (batch.ok()) {
        auto layout = lay_out(**batch);
        CLAIM(layout.ok());
        const Message answer = encode_batch(world().pool, *layout);
        change(input_, answer);
        BatchShape shape;
        shape.sampler = loader->sampler();
        shape.links = loader->of_links();
        shape.seed_type = loader->input_type();
        auto read = decode_batch(Message::copied(world().pool, answer.bytes()), world().whole);
        if (read.ok()) {
          const Status checked = check_made_batch(**read, shape, 0, 0);
          CLAIM(checked.ok() || !checked.message().empty());
        }
      }
    }
    change(input_, *message);
    open_batches(*message);
  }

 private:
  std::string file() {
    const auto arrays = shared_arrays(world().partition->file());
    return input_.chance() ? arrays[input_.byte() % arrays.size()].file
                           : std::string(input_.piece());
  }

  // Nearly always an inbox that does not exist.
  net::InboxAddress inbox() {
    net::InboxAddress out = world().inbox.address();
    if (input_.below(16) != 0) {
      out.place[0] ^= input_.byte();
    }
    return out;
  }

  IdSpan ids(std::vector<int64_t>* to) {
    to->resize(input_.below(12));
    for (int64_t& id : *to) {
      const uint8_t value = input_.byte();
      id = value < 250 ? value % kNodes : static_cast<int64_t>(input_.number(8));
    }
    return {to->data(), true, static_cast<int64_t>(to->size())};
  }

  std::vector<EdgeSet> exclude() {
    std::vector<EdgeSet> out;
    for (uint32_t i = input_.below(3); i > 0; --i) {
      std::vector<int64_t> values;
      ids(&values);
      const bool pairs = input_.chance() && values.size() % 2 == 0;
      Tensor edges = fuzz::owned(std::move(values), kInt64);
      if (pairs) {
        edges = Tensor(edges.owner(), edges.data(), kInt64, {2, edges.rows() / 2});
      }
      out.push_back({input_.below(8) == 0 ? input_.byte() : size_t{0}, std::move(edges)});
    }
    return out;
  }

  OpenRequest open_request() {
    OpenRequest out{world().graph, input_.below(16) == 0 ? input_.byte() : input_.below(2), {}};
    SamplerOptions& options = out.options;
    options.seed = input_.byte();
    options.num_hops = 1 + input_.below(3);
    options.fanouts.resize(input_.below(16) == 0 ? 2 : 1);
    for (auto& fanouts : options.fanouts) {
      for (size_t hop = 0; hop < options.num_hops; ++hop) {
        fanouts.push_back(static_cast<int64_t>(input_.below(12)) - 1);
      }
    }
    const uint8_t flags = input_.byte();
    options.edge_ids = (flags & 1) != 0;
    options.disjoint = (flags & 2) != 0;
    options.int32 = (flags & 4) != 0;
    options.time_strict = (flags & 8) != 0;
    options.layer_dependent = (flags & 16) != 0;
    options.direction = static_cast<Direction>(flags >> 5 & 1);
    options.pick = static_cast<Pick>(flags >> 6 & 1);
    options.time_strategy = static_cast<TimeStrategy>(flags >> 7 & 1);
    options.replace = static_cast<Replace>(input_.below(4));
    options.weight = input_.below(3) == 0 ? "w" : "";
    options.node_time = input_.below(3) == 0 ? "time" : "";
    options.edge_time = std::string(input_.bytes(input_.below(8) == 0 ? 1 : 0));
    options.time_window = static_cast<int8_t>(input_.byte());
    options.batch_dependency = input_.below(4);
    options.exclude = exclude();
    return out;
  }

  HopRequest hop_request(uint64_t sampler) {
    HopRequest out{sampler, {}};
    out.question.edge_type = input_.below(8) == 0 ? input_.byte() : 0;
    out.question.hop = input_.below(4);
    out.question.epoch = input_.byte();
    out.question.batch = input_.byte();
    out.question.nodes = ids(&nodes_);
    trees_.assign(input_.chance() ? nodes_.size() : input_.below(3), 1);
    const int64_t time = input_.byte();
    times_.assign(input_.chance() ? nodes_.size() : 0, time);
    out.question.trees = {trees_.data(), true, static_cast<int64_t>(trees_.size())};
    out.question.times = {times_.data(), true, static_cast<int64_t>(times_.size())};
    out.question.exclude = exclude();
    return out;
  }

  RowsRequest rows_request() {
    RowsRequest out{world().graph, input_.below(3), input_.chance(), input_.below(2), "",
                    kInt64,        ids(&nodes_)};
    constexpr const char* kNames[] = {"x", "time", "w", "none"};
    constexpr DLDataType kTypes[] = {kInt64, kFloat32, kInt32};
    out.column = kNames[input_.below(4)];
    out.dtype = kTypes[input_.below(3)];
    return out;
  }

  // Nearly always a small number. With others, batches may have any size, so they are not made.
  uint64_t number(uint32_t limit) {
    if (input_.below(16) != 0) {
      return input_.below(limit);
    }
    wild_ = true;
    return input_.number(8);
  }

  // Often another method than neighbour sampling. Options of neighbour sampling are then not set,
  // since the request would be refused before its own options are checked.
  void choose_kind(SamplerOptions* options) {
    const uint32_t kind = input_.below(8);
    if (kind > 3) {
      return;
    }
    SamplerOptions out;
    out.seed = options->seed;
    out.int32 = options->int32;
    out.direction = options->direction;
    out.weight = kind < 2 ? options->weight : "";
    out.exclude = std::move(options->exclude);
    const bool reports_edges = kind == 0 || kind == 3;
    out.edge_ids = reports_edges && options->edge_ids;
    out.subgraph = reports_edges ? options->subgraph : Subgraph::kSampled;
    const std::vector<size_t> path(number(4) % 8);  // of the only edge type
    const double part = input_.below(5) / 4.0;
    switch (kind) {
      case 0:
        out.walk = WalkOptions{number(5),
                               number(3),
                               0.5 + input_.below(3),
                               1.0 + input_.below(2),
                               part * input_.below(2),
                               part,
                               path};
        break;
      case 1:
        out.importance = ImportanceOptions{number(5), number(4), number(3), number(3), part, path};
        break;
      case 2: {
        PprOptions& ppr = out.ppr.emplace();
        ppr.neighbors = number(6);
        ppr.alpha = (1 + input_.below(4)) / 4.0;
        ppr.epsilon = input_.chance() ? 1e-2 : part;
        ppr.top_up = input_.chance();
        ppr.max_edges = number(40);
        ppr.row_limit = static_cast<int64_t>(number(4));
        for (uint32_t i = input_.below(3); i > 0; --i) {
          ppr.channels.push_back({{0}, input_.chance() ? 0.5 : part});
        }
        break;
      }
      default: {
        HgtOptions& hgt = out.hgt.emplace();
        hgt.num_hops = 1 + input_.below(3);
        hgt.most_neighbors = static_cast<int64_t>(number(5));
        hgt.samples.resize(1);
        for (size_t hop = 0; hop < hgt.num_hops; ++hop) {
          hgt.samples[0].push_back(static_cast<int64_t>(number(6)) - 1);
        }
      }
    }
    *options = std::move(out);
  }

  BatchesRequest batches_request() {
    BatchesRequest out;
    out.graph = world().graph;
    out.sampler = open_request().options;
    std::vector<int64_t> seeds;
    ids(&seeds);
    if (input_.chance()) {
      out.seeds.ids = fuzz::owned(seeds, kInt64);
    }
    out.seeds.links = input_.below(4) == 0;
    if (input_.below(4) == 0) {
      NegativeOptions& negatives = out.sampler.negatives;
      negatives.mode = static_cast<NegativeMode>(input_.below(3));
      negatives.amount = static_cast<double>(number(5));
      negatives.degree_quarters = static_cast<uint32_t>(number(10));
      negatives.tries = static_cast<uint32_t>(number(4));
    }
    if (input_.below(8) == 0) {
      out.sampler.subgraph = static_cast<Subgraph>(input_.below(3));
    }
    choose_kind(&out.sampler);
    out.batch_size = number(6);
    out.shuffle = input_.chance();
    out.drop_last = input_.chance();
    if (input_.chance()) {
      out.columns.push_back({true, 0, "x", input_.chance(), kInt64});
    }
    return out;
  }

  EdgesRequest edges_request() {
    EdgesRequest out{world().graph, input_.below(3), {}};
    out.question.what = static_cast<EdgeQuestion::What>(input_.below(3));
    out.question.edge_type = input_.below(8) == 0 ? input_.byte() : 0;
    out.question.layout = input_.chance() ? Layout::kCsc : Layout::kCsr;
    out.question.ids = ids(&nodes_);
    if (input_.chance()) {
      others_.assign(nodes_.size(), input_.below(kNodes));
      out.question.others = {others_.data(), true, static_cast<int64_t>(others_.size())};
    }
    return out;
  }

  fuzz::Input& input_;
  bool wild_ = false;  // some number of a batch request may be anything
  std::vector<int64_t> nodes_;
  std::vector<int64_t> others_;
  std::vector<int64_t> trees_;
  std::vector<int64_t> times_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzz::Input input(data, size);
  const uint32_t what = input.below(9);
  const Kind kind = kKinds[input.below(std::size(kKinds))];
  switch (what) {
    case 0: {
      const std::string_view rest = input.rest();
      ask(kind, Message::copied(world().pool, std::as_bytes(std::span(rest))));
      break;
    }
    case 1:
      read_answer(std::as_bytes(std::span(input.rest())));
      break;
    case 2: {  // a valid request with some bytes changed
      const Message request = Questions(input).make(kind);
      change(input, request);
      ask(kind, request);
      break;
    }
    case 3: {  // and its reply
      const auto reply = ask(kind, Questions(input).make(kind));
      if (reply.has_value()) {
        change(input, *reply);
        read_answer(reply->bytes());
      }
      break;
    }
    case 4:
      Questions(input).hop();
      break;
    case 5:
      Questions(input).rows();
      break;
    case 6:
      Questions(input).batches();
      break;
    case 7: {
      const std::string_view rest = input.rest();
      open_batches(Message::copied(world().pool, std::as_bytes(std::span(rest))));
      const Message kept = Message::copied(world().pool, std::as_bytes(std::span(rest)));
      static_cast<void>(decode_batch_request(kept.bytes()).ok());
      break;
    }
    default:
      Questions(input).edges();
  }
  return 0;
}
