// Replays tests/conformance/vectors/*.json on the core, on every instruction set, with both
// relabelling structures and both id widths.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "base/philox.h"
#include "loader/pipeline/loader.h"
#include "loader/seeds/epoch_plan.h"
#include "sample/neighbor/anchors.h"
#include "sample/pick/pick.h"
#include "sample/sampler.h"
#include "test_graph.h"
#include "test_paths.h"

namespace gls::test {
namespace {

using Json = nlohmann::json;

Json load(const std::string& name) {
  std::ifstream in(std::string(test::kSourceFolder) + "/tests/conformance/vectors/" + name +
                   ".json");
  EXPECT_TRUE(in.good()) << name;
  return Json::parse(in);
}

uint64_t wide(const Json& value) {
  return value.is_string() ? std::stoull(value.get<std::string>()) : value.get<uint64_t>();
}

Replace replace_of(const std::string& text) {
  return text == "always" ? Replace::kAlways : text == "above" ? Replace::kAbove : Replace::kNever;
}

void check_philox(const Json& c) {
  const auto counter = c["counter"].get<std::vector<uint32_t>>();
  const uint64_t key = c["key"][0].get<uint64_t>() | c["key"][1].get<uint64_t>() << 32;
  const PhiloxWords words = philox(counter[0], counter[1], counter[2], counter[3], key);
  EXPECT_EQ(std::vector<uint32_t>(words.w, words.w + 4),
            c["expected"]["words"].get<std::vector<uint32_t>>());
}

void check_keys(const Json& c) {
  const uint64_t seed = wide(c["seed"]);
  const uint64_t epoch = wide(c["epoch"]);
  const uint64_t key = batch_key(seed, epoch, wide(c["batch"]));
  const Json& expected = c["expected"];
  EXPECT_EQ(epoch_key(seed, epoch, KeyDomain::kSample), wide(expected["epoch_key_1"]));
  EXPECT_EQ(key, wide(expected["batch_key"]));
  EXPECT_EQ(tree_key(key, wide(c["tree"])), wide(expected["tree_key"]));
  EXPECT_EQ(order_key(seed, epoch), wide(expected["order_key"]));
}

void check_draws(const Json& c) {
  RowDraws draws(wide(c["key"]), row_word(c["hop"], c["edge_type"]), wide(c["node"]));
  const Json& expected = c["expected"];
  const uint64_t degree = wide(c["degree"]);
  for (uint32_t j = 0; j < c["count"].get<uint32_t>(); ++j) {
    EXPECT_EQ(draws.u32(j), expected["u32"][j].get<uint32_t>());
    EXPECT_EQ(draws.u64(j), wide(expected["u64"][j]));
    EXPECT_EQ(draws.below(j, degree, degree), wide(expected["below"][j]));
  }
}

void check_pick(const Json& c) {
  RowPicker picker;
  std::vector<int64_t> positions;
  RowPick row{wide(c["node"]),
              wide(c["key"]),
              row_word(c["hop"], c["edge_type"]),
              0,
              0,
              c["fanout"],
              replace_of(c["replace"]),
              {}};
  if (!c.contains("weights")) {
    row.degree = c["degree"];
    picker.uniform(row, &positions);
  } else {
    std::vector<double> weights;
    for (const Json& value : c["weights"]) {
      weights.push_back(value.is_string() ? std::stod(value.get<std::string>())
                                          : value.get<double>());
    }
    row.degree = static_cast<int64_t>(weights.size());
    Topology topology;  // without edge ids: the id is the position
    topology.num_edges = row.degree;
    const Status status =
        picker.weighted(row, topology, {tensor_of(weights, kFloat64)}, &positions);
    if (c.contains("error")) {
      EXPECT_FALSE(status.ok());
      return;
    }
    ASSERT_TRUE(status.ok()) << status.message();
  }
  ASSERT_FALSE(c.contains("error"));
  EXPECT_EQ(positions, c["expected"]["positions"].get<std::vector<int64_t>>());
}

void check_order(const Json& c) {
  const uint64_t n = wide(c["n"]);
  const KeyedPermutation order(n, order_key(wide(c["seed"]), wide(c["epoch"])));
  const Json& expected = c["expected"]["values"];
  for (size_t i = 0; i < expected.size(); ++i) {
    const uint64_t position = c.contains("positions") ? wide(c["positions"][i]) : i;
    EXPECT_EQ(order(position), wide(expected[i])) << "position " << position;
  }
}

void check_plan(const Json& c) {
  PlanOptions options;
  options.num_seeds = wide(c["n"]);
  options.batch_size = wide(c["batch_size"]);
  options.shuffle = c.value("shuffle", false);
  options.drop_last = c.value("drop_last", false);
  options.rank = wide(c["rank"]);
  options.world_size = wide(c["world"]);
  const std::string even = c.value("even", "none");
  options.even = even == "drop" ? Even::kDrop : even == "repeat" ? Even::kRepeat : Even::kNone;
  const uint64_t done = c.value("done_steps", uint64_t{0}) * c.value("done_world", uint64_t{1});
  const uint64_t seed = c.contains("seed") ? wide(c["seed"]) : 0;
  const uint64_t epoch = c.contains("epoch") ? wide(c["epoch"]) : 0;
  const EpochPlan plan(options, seed, epoch, done);
  const Json& expected = c["expected"];
  EXPECT_EQ(EpochPlan::num_batches(options), wide(expected["epoch_batches"]));
  std::vector<uint64_t> batches;
  for (uint64_t step = 0; step < plan.steps(); ++step) {
    batches.push_back(plan.batch(step));
  }
  EXPECT_EQ(batches, expected["batches"].get<std::vector<uint64_t>>());
  for (size_t i = 0; i < expected["positions"].size(); ++i) {
    std::vector<uint64_t> seeds;
    for (uint64_t at = plan.batch_begin(batches[i]); at < plan.batch_end(batches[i]); ++at) {
      seeds.push_back(plan.seed_index(at));
    }
    EXPECT_EQ(seeds, expected["positions"][i].get<std::vector<uint64_t>>());
  }
}

// ---- whole batches -----------------------------------------------------------------------------

void generate_edges(const Json& generator, TestEdges* out) {
  const std::string rule = generator["rule"];
  const auto add = [out](int64_t source, int64_t target) {
    out->source.push_back(source);
    out->target.push_back(target);
  };
  if (rule == "ring") {
    const int64_t n = generator["nodes"];
    for (int64_t v = 0; v < n; ++v) {
      for (const Json& step : generator["steps"]) {
        add(v, (v + step.get<int64_t>()) % n);
      }
    }
  } else if (rule == "star") {
    for (int64_t i = 1; i <= generator["leaves"].get<int64_t>(); ++i) {
      generator["hub_is"] == "target" ? add(i, 0) : add(0, i);
    }
  } else if (rule == "triangle") {
    for (int64_t t = 0; t < generator["nodes"].get<int64_t>(); ++t) {
      for (int64_t s = 0; s < t; ++s) {
        add(s, t);
      }
    }
  } else {
    ASSERT_EQ(rule, "random");
    uint64_t x = wide(generator["seed"]);
    const auto next = [&x] {
      x = 6364136223846793005u * x + 1442695040888963407u;
      return x >> 32;
    };
    const uint64_t sources = wide(generator["sources"]);
    const uint64_t targets = wide(generator["targets"]);
    for (uint64_t e = 0; e < wide(generator["edges"]); ++e) {
      const uint64_t a = next();
      const uint64_t b = next();
      const uint64_t c = next();
      add(static_cast<int64_t>((a * sources) >> 32),
          static_cast<int64_t>((((b * c) >> 32) * targets) >> 32));
    }
  }
}

std::vector<int64_t> cycled(const Json& cycle, size_t count) {
  std::vector<int64_t> out;
  for (size_t i = 0; i < count; ++i) {
    out.push_back(cycle[i % cycle.size()].get<int64_t>());
  }
  return out;
}

TestGraph read_graph(const Json& json) {
  TestGraph graph;
  for (const Json& type : json["node_types"]) {
    graph.nodes.emplace_back(type["name"], type["count"]);
    if (type.contains("weight_cycle")) {
      const auto cycle = type["weight_cycle"].get<std::vector<float>>();
      std::vector<float>& weights = graph.node_weights[type["name"]];
      for (size_t v = 0; v < type["count"].get<size_t>(); ++v) {
        weights.push_back(cycle[v % cycle.size()]);
      }
    }
    if (type.contains("time_cycle")) {
      graph.node_times[type["name"]] = cycled(type["time_cycle"], type["count"]);
    }
  }
  for (const Json& type : json["edge_types"]) {
    TestEdges edges;
    edges.name = type["name"];
    if (type.contains("generator")) {
      generate_edges(type["generator"], &edges);
    } else {
      edges.source = type["source"].get<std::vector<int64_t>>();
      edges.target = type["target"].get<std::vector<int64_t>>();
    }
    if (type.contains("weight")) {
      edges.weight = type["weight"].get<std::vector<float>>();
    } else if (type.contains("weight_cycle")) {
      const auto cycle = type["weight_cycle"].get<std::vector<float>>();
      for (size_t e = 0; e < edges.source.size(); ++e) {
        edges.weight.push_back(cycle[e % cycle.size()]);
      }
    }
    for (const Json& special : type.value("weight_special", Json::array())) {
      edges.weight[special["edge"].get<size_t>()] = special["value"] == "nan" ? NAN : INFINITY;
    }
    edges.reverse = type.value("reverse", std::vector<int64_t>());
    if (type.contains("time_cycle")) {
      edges.time = cycled(type["time_cycle"], edges.source.size());
    }
    graph.edges.push_back(std::move(edges));
  }
  return graph;
}

// Whatever the test keeps alive while a request that borrows it is used.
struct Borrowed {
  std::vector<Tensor> tensors;
};

size_t edge_type_index(const Dataset& dataset, const Json& name) {
  auto index = dataset.edge_type_index(name.get<std::string>().c_str());
  EXPECT_TRUE(index.ok()) << name;
  return *index;
}

// Unknown edge types are found by the layer above, which turns names into numbers.
bool names_unknown_type(const Dataset& dataset, const Json& options) {
  bool unknown = false;
  const auto look = [&](const Json& name) {
    unknown = unknown ||
              (!name.is_null() && !dataset.edge_type_index(name.get<std::string>().c_str()).ok());
  };
  for (const auto& [kind, list] : {std::pair("walk", "path"), std::pair("importance", "path"),
                                   std::pair("ppr", "edge_types")}) {
    for (const Json& name : options.value(kind, Json::object()).value(list, Json::array())) {
      look(name);
    }
  }
  for (const Json& channel :
       options.value("ppr", Json::object()).value("channels", Json::array())) {
    for (const Json& name : channel["edge_types"]) {
      look(name);
    }
  }
  for (const char* list : {"fanouts", "exclude", "reverse_types", "supervisions"}) {
    for (const Json& entry : options.value(list, Json::array())) {
      look(entry.value("edge_type", Json()));
      look(entry.value("reverse_type", Json()));
    }
  }
  for (const Json& entry : options.value("hgt", Json::object()).value("samples", Json::array())) {
    const Json& name = entry["node_type"];
    unknown = unknown ||
              (!name.is_null() && !dataset.node_type_index(name.get<std::string>().c_str()).ok());
  }
  return unknown;
}

std::vector<EdgeSet> read_sets(const Dataset& dataset, const Json& json) {
  std::vector<EdgeSet> sets;
  for (const Json& set : json) {
    Tensor edges;
    if (set.contains("ids")) {
      edges = tensor_of(set["ids"].get<std::vector<int64_t>>(), kInt64);
    } else {
      auto pairs = set["source"].get<std::vector<int64_t>>();
      const auto targets = set["target"].get<std::vector<int64_t>>();
      const auto count = static_cast<int64_t>(targets.size());
      pairs.insert(pairs.end(), targets.begin(), targets.end());
      const Tensor flat = tensor_of(pairs, kInt64);
      edges = Tensor(flat.owner(), flat.data(), kInt64, {2, count});
    }
    sets.push_back({edge_type_index(dataset, set["edge_type"]), std::move(edges)});
  }
  return sets;
}

// As the layer above does.
void read_supervisions(const Dataset& dataset, const Json& json, SamplerOptions* options) {
  for (const Json& given : json.value("supervisions", Json::array())) {
    Supervision& out = options->supervisions.emplace_back();
    if (given.contains("edge_type")) {
      out.edge_type = edge_type_index(dataset, given["edge_type"]);
      out.node_type = dataset.edge_types()[*out.edge_type].target;
    } else if (given.contains("node_type")) {
      const auto name = given["node_type"].get<std::string>();
      out.node_type = *dataset.node_type_index(name.c_str());
    }
    out.name = given.value("name", given.value("edge_type", ""));
    out.negative = given.value("role", "positive") == "negative";
    out.sampled = given.value("sampled", false);
    out.max_labels = given.value("max_labels", int64_t{0});
  }
  const std::vector<bool> followed = followed_types(dataset, *options);
  std::set<size_t> own;
  for (const Json& entry : json["fanouts"]) {
    if (!entry["edge_type"].is_null()) {
      own.insert(edge_type_index(dataset, entry["edge_type"]));
    }
  }
  for (size_t t = 0; t < followed.size(); ++t) {
    if (!followed[t] && !own.contains(t)) {
      options->fanouts[t].assign(options->num_hops, 0);
    }
  }
}

SamplerOptions read_options(const Dataset& dataset, const Json& json) {
  SamplerOptions options;
  options.seed = json.contains("seed") ? wide(json["seed"]) : 0;
  options.fanouts.resize(dataset.edge_types().size());
  for (const bool own : {false, true}) {
    for (const Json& entry : json["fanouts"]) {
      const auto per_hop = entry["per_hop"].get<std::vector<int64_t>>();
      options.num_hops = per_hop.size();
      if (!own && entry["edge_type"].is_null()) {
        std::fill(options.fanouts.begin(), options.fanouts.end(), per_hop);
      } else if (own && !entry["edge_type"].is_null()) {
        options.fanouts[edge_type_index(dataset, entry["edge_type"])] = per_hop;
      }
    }
  }
  options.direction = json.value("direction", "in") == "in" ? Direction::kIn : Direction::kOut;
  options.replace = replace_of(json.value("replace", "never"));
  options.weight = json.value("weight", "");
  options.edge_ids = json.value("edge_ids", false);
  options.disjoint = json.value("disjoint", false);
  options.toward_seeds = json.value("toward_seeds", false);
  options.exclude = read_sets(dataset, json.value("exclude", Json::array()));
  const std::string mode = json.value("exclude_mode", "self");
  options.exclude_mode = mode == "reverse_id"      ? ExcludeMode::kReverseId
                         : mode == "reverse_types" ? ExcludeMode::kReverseTypes
                                                   : ExcludeMode::kSelf;
  options.reverse_column = json.value("reverse_column", "");
  for (const Json& pair : json.value("reverse_types", Json::array())) {
    options.reverse_types.emplace_back(edge_type_index(dataset, pair["edge_type"]),
                                       edge_type_index(dataset, pair["reverse_type"]));
  }
  options.node_time = json.value("node_time", "");
  options.edge_time = json.value("edge_time", "");
  options.time_strict = json.value("time_strict", false);
  options.time_window = json.value("time_window", int64_t{0});
  options.time_strategy = json.value("time_strategy", "uniform") == "last" ? TimeStrategy::kLast
                                                                           : TimeStrategy::kUniform;
  const std::string subgraph = json.value("subgraph", "sampled");
  options.subgraph = subgraph == "induced"         ? Subgraph::kInduced
                     : subgraph == "bidirectional" ? Subgraph::kBidirectional
                                                   : Subgraph::kSampled;
  options.exclude_links = json.value("exclude_links", false);
  options.pick = json.value("pick", "independent") == "layer" ? Pick::kLayer : Pick::kIndependent;
  options.batch_dependency = json.value("batch_dependency", 0u);
  options.layer_dependent = json.value("layer_dependent", false);
  const Json negatives = json.value("negatives", Json::object());
  const std::string negative_mode = negatives.value("mode", "");
  options.negatives.mode = negative_mode == "binary"    ? NegativeMode::kBinary
                           : negative_mode == "triplet" ? NegativeMode::kTriplet
                                                        : NegativeMode::kNone;
  options.negatives.strict = negatives.value("strict", false);
  options.negatives.allow_short = negatives.value("allow_short", false);
  options.negatives.in_time = negatives.value("in_time", false);
  options.negatives.oldest = negatives.value("oldest", false);
  options.negatives.amount = negatives.value("amount", 1.0);
  options.negatives.degree_quarters =
      static_cast<uint32_t>(4 * negatives.value("degree_power", 0.0));
  options.negatives.source_weight = negatives.value("source_weight", "");
  options.negatives.target_weight = negatives.value("target_weight", "");
  options.negatives.tries = negatives.value("tries", 64u);
  read_supervisions(dataset, json, &options);
  if (json.contains("walk")) {
    const Json& walk = json["walk"];
    WalkOptions& out = options.walk.emplace();
    out.length = walk.value("length", size_t{0});
    out.walks = walk.value("walks", size_t{1});
    out.p = walk.value("p", 1.0);
    out.q = walk.value("q", 1.0);
    out.restart = walk.value("restart", 0.0);
    out.stop = walk.value("stop", 0.0);
    for (const Json& name : walk.value("path", Json::array())) {
      out.path.push_back(edge_type_index(dataset, name));
    }
  }
  if (json.contains("importance")) {
    const Json& importance = json["importance"];
    ImportanceOptions& out = options.importance.emplace();
    out.neighbors = importance.value("neighbors", out.neighbors);
    out.walks = importance.value("walks", out.walks);
    out.traversals = importance.value("traversals", out.traversals);
    out.hops = importance.value("hops", out.hops);
    out.stop = importance.value("stop", out.stop);
    for (const Json& name : importance.value("path", Json::array())) {
      out.path.push_back(edge_type_index(dataset, name));
    }
  }
  if (json.contains("ppr")) {
    const Json& ppr = json["ppr"];
    PprOptions& out = options.ppr.emplace();
    out.neighbors = ppr.value("neighbors", out.neighbors);
    out.alpha = ppr.value("alpha", out.alpha);
    out.epsilon = ppr.value("epsilon", out.epsilon);
    out.top_up = ppr.value("top_up", out.top_up);
    out.max_edges = ppr.value("max_edges", out.max_edges);
    out.row_limit = ppr.value("row_limit", out.row_limit);
    for (const Json& name : ppr.value("edge_types", Json::array())) {
      out.edge_types.push_back(edge_type_index(dataset, name));
    }
    for (const Json& given : ppr.value("channels", Json::array())) {
      PprChannel& channel = out.channels.emplace_back();
      channel.share = given["share"];
      for (const Json& name : given["edge_types"]) {
        channel.edge_types.push_back(edge_type_index(dataset, name));
      }
    }
  }
  if (json.contains("hgt")) {
    const Json& hgt = json["hgt"];
    HgtOptions& out = options.hgt.emplace();
    out.most_neighbors = hgt.value("most_neighbors", out.most_neighbors);
    out.samples.resize(dataset.node_types().size());
    for (size_t t = 0; t < out.samples.size(); ++t) {
      for (const Json& entry : hgt["samples"]) {
        const bool for_all = entry["node_type"].is_null();
        if (for_all ? out.samples[t].empty() : entry["node_type"] == dataset.node_types()[t].name) {
          out.samples[t] = entry["per_hop"].get<std::vector<int64_t>>();
          out.num_hops = out.samples[t].size();
        }
      }
    }
  }
  return options;
}

SampleRequest read_request(const Dataset& dataset, const Json& json, Borrowed* borrowed) {
  SampleRequest request;
  request.epoch = json.contains("epoch") ? wide(json["epoch"]) : 0;
  request.batch = json.contains("batch") ? wide(json["batch"]) : 0;
  for (const Json& seeds : json["seeds"]) {
    std::vector<int64_t> ids;
    if (seeds.contains("ids")) {
      ids = seeds["ids"].get<std::vector<int64_t>>();
    } else {
      const Json& range = seeds["range"];
      for (int64_t i = 0; i < range["count"].get<int64_t>(); ++i) {
        ids.push_back(range["first"].get<int64_t>() + i * range["step"].get<int64_t>());
      }
    }
    borrowed->tensors.push_back(tensor_of(ids, kInt64));
    auto type = dataset.node_type_index(seeds["node_type"].get<std::string>().c_str());
    request.seeds.push_back({*type, *IdSpan::of(borrowed->tensors.back(), "seeds")});
    if (seeds.contains("times")) {
      borrowed->tensors.push_back(tensor_of(seeds["times"].get<std::vector<int64_t>>(), kInt64));
      request.seeds.back().times = *IdSpan::of(borrowed->tensors.back(), "times");
    }
  }
  request.exclude = read_sets(dataset, json.value("exclude", Json::array()));
  for (const Json& rows : json.value("labels", Json::array())) {
    Tensor& labels = request.labels.emplace_back();
    if (rows.is_null()) {
      continue;
    }
    std::vector<int64_t> flat;
    for (const Json& row : rows) {
      const auto own = row.get<std::vector<int64_t>>();
      flat.insert(flat.end(), own.begin(), own.end());
    }
    const auto count = static_cast<int64_t>(rows.size());
    const auto width = static_cast<int64_t>(flat.size()) / std::max<int64_t>(count, 1);
    const Tensor values = tensor_of(flat, kInt64);
    labels = Tensor(values.owner(), values.data(), kInt64, {count, width});
  }
  if (json.contains("links")) {
    const Json& links = json["links"];
    const std::vector<EdgeSet> set = read_sets(dataset, Json::array({links}));
    LinkSet& out = request.links.emplace_back();
    out.edge_type = set[0].edge_type;
    out.links = set[0].edges;
    if (links.contains("times")) {
      borrowed->tensors.push_back(tensor_of(links["times"].get<std::vector<int64_t>>(), kInt64));
      out.times = *IdSpan::of(borrowed->tensors.back(), "times");
    }
    if (links.contains("labels")) {
      out.labels = tensor_of(links["labels"].get<std::vector<int64_t>>(), kInt64);
    }
  }
  return request;
}

void expect_array(const Tensor& tensor, const Json& expected, const std::string& what) {
  ASSERT_TRUE(tensor.defined()) << what;
  const std::vector<int64_t> values = values_of(tensor);
  if (expected.is_array()) {
    EXPECT_EQ(values, expected.get<std::vector<int64_t>>()) << what;
    return;
  }
  uint64_t digest = 14695981039346656037u;
  for (const int64_t value : values) {
    digest = (digest ^ static_cast<uint64_t>(value)) * 1099511628211u;
  }
  EXPECT_EQ(values.size(), expected["length"].get<size_t>()) << what;
  EXPECT_EQ(digest, wide(expected["digest"])) << what;
}

void expect_batch(const Batch& batch, const Json& expected, bool edge_ids) {
  for (size_t t = 0; t < batch.nodes.size(); ++t) {
    const std::string& name = batch.dataset->node_types()[t].name;
    const Json& nodes = expected["nodes"][name];
    expect_array(batch.nodes[t].node, nodes["node"], name + " node");
    expect_array(batch.nodes[t].seed, nodes["seed"], name + " seed");
    expect_array(batch.nodes[t].num_nodes, nodes["num_sampled_nodes"], name + " counts");
    EXPECT_EQ(batch.nodes[t].tree.defined(), nodes.contains("batch"));
    if (nodes.contains("batch")) {
      expect_array(batch.nodes[t].tree, nodes["batch"], name + " batch");
    }
    EXPECT_EQ(batch.nodes[t].seed_time.defined(), nodes.contains("seed_time"));
    if (nodes.contains("seed_time")) {
      expect_array(batch.nodes[t].seed_time, nodes["seed_time"], name + " times");
    }
  }
  for (size_t t = 0; t < batch.edges.size(); ++t) {
    const std::string& name = batch.dataset->edge_types()[t].joined;
    const Json& edges = expected["edges"][name];
    expect_array(batch.edges[t].row(), edges["row"], name + " row");
    expect_array(batch.edges[t].col(), edges["col"], name + " col");
    expect_array(batch.edges[t].num_edges, edges["num_sampled_edges"], name + " counts");
    if (edge_ids) {
      expect_array(batch.edges[t].edge, edges["edge"], name + " edge");
    }
  }
}

std::vector<int64_t> all_values(const Tensor& tensor) {
  std::vector<int64_t> out;
  for (size_t i = 0; i < static_cast<size_t>(tensor.rows() * tensor.row_elements()); ++i) {
    out.push_back(static_cast<int64_t>(element_as_double(tensor.data(), tensor.dtype(), i)));
  }
  return out;
}

void expect_links(const Batch& batch, const Json& expected) {
  ASSERT_EQ(!batch.links.empty(), expected.contains("links"));
  if (batch.links.empty()) {
    return;
  }
  const SampledLinks& links = batch.links[0];
  const Json& named = expected["links"][batch.dataset->edge_types()[links.edge_type].joined];
  EXPECT_EQ(values_of(links.source), named["source"].get<std::vector<int64_t>>());
  EXPECT_EQ(values_of(links.target), named["target"].get<std::vector<int64_t>>());
  ASSERT_EQ(links.negative.defined(), named.contains("negative"));
  if (links.negative.defined()) {
    std::vector<int64_t> flat;
    for (const Json& row : named["negative"]) {
      ASSERT_EQ(links.negative.shape()[1], static_cast<int64_t>(row.size()));
      const auto own = row.get<std::vector<int64_t>>();
      flat.insert(flat.end(), own.begin(), own.end());
    }
    EXPECT_EQ(all_values(links.negative), flat);
  }
  ASSERT_EQ(links.label.defined(), named.contains("label"));
  if (links.label.defined()) {
    const auto label = named["label"].get<std::vector<double>>();
    EXPECT_EQ(all_values(links.label), std::vector<int64_t>(label.begin(), label.end()));
  }
}

void expect_rows(const Tensor& tensor, const Json& rows, const std::string& what) {
  std::vector<int64_t> flat;
  for (const Json& row : rows) {
    ASSERT_EQ(tensor.shape()[1], static_cast<int64_t>(row.size())) << what;
    const auto own = row.get<std::vector<int64_t>>();
    flat.insert(flat.end(), own.begin(), own.end());
  }
  ASSERT_EQ(tensor.rows(), static_cast<int64_t>(rows.size())) << what;
  EXPECT_EQ(all_values(tensor), flat) << what;
}

void expect_walks(const Batch& batch, const Json& expected) {
  ASSERT_EQ(batch.walks.has_value(), expected.contains("walks"));
  if (!batch.walks.has_value()) {
    return;
  }
  const Json& named = expected["walks"][batch.dataset->node_types()[batch.walks->node_type].name];
  expect_rows(batch.walks->walk, named["walk"], "walk");
  ASSERT_EQ(batch.walks->edge.defined(), named.contains("walk_edge"));
  if (batch.walks->edge.defined()) {
    expect_rows(batch.walks->edge, named["walk_edge"], "walk_edge");
  }
}

void expect_labels(const Batch& batch, const Json& expected) {
  ASSERT_EQ(batch.labels.empty(), !expected.contains("labels"));
  if (batch.labels.empty()) {
    return;
  }
  ASSERT_EQ(batch.labels.size(), expected["labels"].size());
  for (size_t s = 0; s < batch.labels.size(); ++s) {
    const SampledLabels& labels = batch.labels[s];
    const Json& one = expected["labels"][s];
    EXPECT_EQ(batch.dataset->node_types()[labels.node_type].name, one["node_type"]);
    EXPECT_EQ(labels.name, one["name"]);
    EXPECT_EQ(labels.negative, one["role"] == "negative");
    expect_rows(labels.label, one["label"], labels.name);
  }
}

// What only the layer above refuses: one node type in two seed lists, and supervisions that
// contradict themselves.
bool found_above(const std::string& name) {
  return name == "a type named twice" || name == "no name" || name == "labels with options" ||
         name == "labels with a cap" || name == "two node types";
}

void expect_near(const Batch& batch, const Json& expected) {
  ASSERT_EQ(batch.near.empty(), !expected.contains("near"));
  for (size_t t = 0; t < batch.near.size(); ++t) {
    const SampledNear& near = batch.near[t];
    const std::string& name = batch.dataset->node_types()[t].name;
    ASSERT_EQ(near.node.defined(), expected["near"].contains(name)) << name;
    if (!near.node.defined()) {
      continue;
    }
    const Json& arrays = expected["near"][name];
    EXPECT_EQ(all_values(near.seed), arrays["near_seed"].get<std::vector<int64_t>>()) << name;
    EXPECT_EQ(all_values(near.node), arrays["near_node"].get<std::vector<int64_t>>()) << name;
    std::vector<float> scores;
    for (const Json& row : arrays["near_score"]) {
      const auto columns = row.get<std::vector<float>>();
      ASSERT_EQ(near.score.shape()[1], columns.size()) << name;
      scores.insert(scores.end(), columns.begin(), columns.end());
    }
    const float* const got = near.score.as<float>();
    const int64_t count = near.score.rows() * near.score.shape()[1];
    EXPECT_EQ(std::vector<float>(got, got + count), scores) << name;
  }
}

void check_sample(const Dataset& dataset, const std::shared_ptr<const Dataset>& shared,
                  const Json& c, bool int32) {
  const auto expect_error = [&c](const Status& status) {
    ASSERT_TRUE(c.contains("error")) << status.message();
    EXPECT_FALSE(status.message().empty());
  };
  if (const double quarters =
          4 * c["options"].value("negatives", Json::object()).value("degree_power", 0.0);
      quarters < 0 || quarters != std::floor(quarters)) {
    EXPECT_EQ(c["error"], "GLS_ERR_INVALID_ARGUMENT");  // found by the layer above
    return;
  }
  if (names_unknown_type(dataset, c["options"])) {
    EXPECT_EQ(c["error"], "GLS_ERR_NOT_FOUND");
    return;
  }
  SamplerOptions options = read_options(dataset, c["options"]);
  options.int32 = options.int32 || int32;
  const bool edge_ids = options.edge_ids;
  auto sampler = Sampler::create(shared, std::move(options));
  if (!sampler.ok()) {
    expect_error(sampler.status());
    return;
  }
  Borrowed borrowed;
  const SampleRequest request = read_request(dataset, c["request"], &borrowed);
  auto batch = (*sampler)->sample(request);
  if (!batch.ok()) {
    expect_error(batch.status());
    return;
  }
  if (c.contains("error")) {
    EXPECT_TRUE(found_above(c["name"])) << c["name"];
    return;
  }
  expect_batch(**batch, c["expected"], edge_ids);
  expect_links(**batch, c["expected"]);
  expect_walks(**batch, c["expected"]);
  expect_labels(**batch, c["expected"]);
  expect_near(**batch, c["expected"]);
  // A sampler keeps tables between batches: the next one must not see them.
  auto again = (*sampler)->sample(request);
  ASSERT_TRUE(again.ok());
  expect_batch(**again, c["expected"], edge_ids);
  expect_walks(**again, c["expected"]);
  expect_near(**again, c["expected"]);
}

class Inside : public testing::TestWithParam<const char*> {};

TEST_P(Inside, Replays) {
  const Json file = load(GetParam());
  ASSERT_EQ(file["contract"].get<uint32_t>(), kContractVersion);
  ASSERT_FALSE(file["cases"].empty());
  for (const Json& c : file["cases"]) {
    SCOPED_TRACE(c["name"].get<std::string>());
    const std::string kind = c["kind"];
    if (kind == "philox") {
      check_philox(c);
    } else if (kind == "keys") {
      check_keys(c);
    } else if (kind == "draws") {
      check_draws(c);
    } else if (kind == "pick") {
      check_pick(c);
    } else if (kind == "order") {
      check_order(c);
    } else {
      ASSERT_EQ(kind, "plan");
      check_plan(c);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Conformance, Inside, testing::Values("philox", "pick", "order", "plan"));

struct Variant {
  const char* simd;
  const char* direct_table;
  bool wide;
  bool int32;
};

// ---- seeds that are drawn, or taken by clusters ------------------------------------------------

LoaderOptions loader_options(const Dataset& dataset, const Json& c) {
  LoaderOptions out;
  const std::string type = c["type"];
  if (c.value("links", false)) {
    out.edge_type = edge_type_index(dataset, type);
  } else {
    out.node_type = *dataset.node_type_index(type.c_str());
  }
  out.plan.batch_size = c["batch_size"];
  out.plan.shuffle = c.value("shuffle", false);
  out.plan.drop_last = c.value("drop_last", false);
  const std::string law = c.value("law", "uniform");
  out.rule.by = c["rule"] == "draw" ? SeedsBy::kDraw : SeedsBy::kCluster;
  out.rule.law = law == "degree"           ? SeedWeighting::kDegree
                 : law == "inverse_degree" ? SeedWeighting::kInverseDegree
                                           : SeedWeighting::kUniform;
  out.rule.weight = c.value("weight", "");
  out.rule.batches = c.value("batches", uint64_t{0});
  out.rule.cluster = c.value("cluster", "");
  if (c.contains("clusters")) {
    out.rule.clusters = tensor_of(c["clusters"].get<std::vector<int64_t>>(), kInt64);
  }
  return out;
}

gls_status_t error_of(const std::string& name) {
  return name == "GLS_ERR_INVALID_ARGUMENT" ? GLS_ERR_INVALID_ARGUMENT
         : name == "GLS_ERR_NOT_FOUND"      ? GLS_ERR_NOT_FOUND
         : name == "GLS_ERR_CORRUPT_DATA"   ? GLS_ERR_CORRUPT_DATA
                                            : GLS_OK;
}

TEST(Conformance, Seeds) {
  const Json file = load("seeds");
  std::map<std::string, std::shared_ptr<const Dataset>> datasets;
  for (const Json& json : file["graphs"]) {
    datasets[json["name"]] = make_dataset(make_context(), read_graph(json));
  }
  ASSERT_GT(file["cases"].size(), 30u);
  for (const Json& c : file["cases"]) {
    SCOPED_TRACE(c["name"].get<std::string>());
    ASSERT_EQ(c["kind"], "seeds");
    const auto& dataset = datasets.at(c["graph"]);
    SamplerOptions options;
    options.seed = c.contains("seed") ? wide(c["seed"]) : 0;
    options.subgraph = Subgraph::kInduced;
    options.fanouts.resize(dataset->edge_types().size());
    const auto sampler = Sampler::create(dataset, options).take();
    const Tensor ids =
        c.contains("ids") ? tensor_of(c["ids"].get<std::vector<int64_t>>(), kInt64) : Tensor();
    auto loader = Loader::create(sampler, ids, loader_options(*dataset, c));
    if (c.contains("error")) {
      ASSERT_FALSE(loader.ok());
      EXPECT_EQ(loader.status().code(), error_of(c["error"])) << loader.status().message();
      continue;
    }
    ASSERT_TRUE(loader.ok()) << loader.status().message();
    const Json& expected = c["expected"];
    EXPECT_EQ((*loader)->counts().batches, expected["epoch_batches"].get<uint64_t>());
    ASSERT_EQ(c["show"].size(), expected["positions"].size());
    const uint64_t epoch = c.contains("epoch") ? wide(c["epoch"]) : 0;
    for (size_t i = 0; i < c["show"].size(); ++i) {
      auto batch = (*loader)->sample(epoch, c["show"][i].get<uint64_t>());
      ASSERT_TRUE(batch.ok()) << batch.status().message();
      EXPECT_EQ(values_of((*batch)->inputs[0].positions),
                expected["positions"][i].get<std::vector<int64_t>>());
    }
  }
}

TEST(Conformance, SeedSets) {
  const Json file = load("seed_sets");
  const auto dataset = make_dataset(make_context(), read_graph(file["graphs"][0]));
  ASSERT_GT(file["cases"].size(), 10u);
  for (const Json& c : file["cases"]) {
    SCOPED_TRACE(c["name"].get<std::string>());
    ASSERT_EQ(c["kind"], "seed_sets");
    SamplerOptions options;
    options.seed = c.contains("seed") ? wide(c["seed"]) : 0;
    options.subgraph = Subgraph::kInduced;
    options.fanouts.resize(dataset->edge_types().size());
    const bool links = c.value("links", false);
    LoaderOptions loading;
    loading.plan.batch_size = c["batch_size"];
    loading.plan.shuffle = c.value("shuffle", false);
    loading.plan.drop_last = c.value("drop_last", false);
    const auto type_of = [&](const std::string& name) {
      return links ? edge_type_index(*dataset, name) : *dataset->node_type_index(name.c_str());
    };
    for (const Json& set : c["sets"]) {
      SeedList::Given& given = loading.seed_sets.emplace_back();
      given.links = links;
      given.type = type_of(set["type"]);
      if (set.contains("ids")) {
        given.ids = tensor_of(set["ids"].get<std::vector<int64_t>>(), kInt64);
      }
    }
    auto loader = Loader::create(Sampler::create(dataset, options).take(), Tensor(), loading);
    ASSERT_EQ(loader.ok(), !c.contains("error"));
    if (!loader.ok()) {
      EXPECT_EQ(loader.status().code(), error_of(c["error"]));
      continue;
    }
    const Json& expected = c["expected"];
    EXPECT_EQ((*loader)->counts().batches, expected["epoch_batches"].get<uint64_t>());
    const uint64_t epoch = c.contains("epoch") ? wide(c["epoch"]) : 0;
    for (size_t i = 0; i < c["show"].size(); ++i) {
      auto batch = (*loader)->sample(epoch, c["show"][i].get<uint64_t>());
      ASSERT_TRUE(batch.ok()) << batch.status().message();
      ASSERT_EQ((*batch)->inputs.size(), c["sets"].size());
      for (const SampledInput& input : (*batch)->inputs) {
        const std::string& name = links ? dataset->edge_types()[input.type].joined
                                        : dataset->node_types()[input.type].name;
        EXPECT_EQ(values_of(input.positions),
                  expected["positions"][i][name].get<std::vector<int64_t>>());
      }
    }
  }
}

class Samples : public testing::TestWithParam<std::tuple<const char*, Variant>> {};

TEST_P(Samples, Replays) {
  const auto& [name, variant] = GetParam();
  const Json file = load(name);
  const auto context = make_context();
  ASSERT_TRUE(context->set("cpu.simd", variant.simd).ok());
  ASSERT_TRUE(context->set("sample.direct_table", variant.direct_table).ok());
  // Tables of weights change nothing either.
  ASSERT_TRUE(context->set("sample.weight_tables", variant.int32 ? "4G" : "0").ok());
  std::map<std::string, std::shared_ptr<const Dataset>> datasets;
  for (const Json& json : file["graphs"]) {
    TestGraph graph = read_graph(json);
    graph.wide = variant.wide;
    graph.store_ids = variant.wide;
    datasets[json["name"]] = make_dataset(context, graph);
  }
  for (const Json& c : file["cases"]) {
    SCOPED_TRACE(c["name"].get<std::string>());
    const auto& dataset = datasets.at(c["graph"]);
    check_sample(*dataset, dataset, c, variant.int32);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Conformance, Samples,
    testing::Combine(
        testing::Values("sample_basic", "sample_fanout", "sample_weight", "sample_exclude",
                        "sample_hetero", "sample_star", "sample_large", "sample_time",
                        "sample_induced", "sample_links", "sample_walks", "sample_bidirectional",
                        "sample_labor", "sample_anchors", "sample_importance", "sample_ppr",
                        "sample_channels", "sample_hgt"),
        testing::Values(Variant{"avx512", "256M", false, false},
                        Variant{"avx512", "256M", false, true}, Variant{"avx512", "0", true, false},
                        Variant{"avx2", "256M", false, false}, Variant{"avx2", "0", true, true},
                        Variant{"plain", "256M", true, true}, Variant{"plain", "0", false, false})),
    [](const auto& tested) {
      const Variant& v = std::get<1>(tested.param);
      return std::string(std::get<0>(tested.param)) + "_" + v.simd +
             (v.direct_table[0] == '0' ? "_hash" : "_direct") + (v.wide ? "_wide" : "_narrow") +
             (v.int32 ? "_int32" : "_int64");
    });

}  // namespace
}  // namespace gls::test
