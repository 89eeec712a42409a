#include "cluster/wire/batch_messages.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "base/philox.h"
#include "cluster/wire/envelope.h"
#include "cluster/wire/wire_integers.h"

namespace gls::cluster {
namespace {

using Builder = flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;
template <typename T>
using Tables = flatbuffers::Vector<Offset<T>>;
using Numbers = flatbuffers::Vector<uint32_t>;

constexpr size_t kMostDims = 16;
constexpr const char* kUnknownBatches = "unknown_batches";
constexpr const char* kTooMany = "too_many_asked";

// ---- writing ----

class RequestWriter {
 public:
  explicit RequestWriter(const Pool& pool) : pool_(pool) {}

  Result<net::Message> run(const BatchesRequest& request) {
    // A new option that batches depend on breaks this line and the next two, since the number of
    // names must match. Then also raise kBatchesVersion.
    const auto& [graph, sampler, id_set, seeds, rule, batch_size, shuffle, drop_last, columns] =
        request;
    const auto& [links, type, ids, times, labels, anchor_labels] = seeds;
    const auto& [by, law, weight, batches, cluster, clusters] = rule;
    const auto of_sampler = add_sampler(sampler);
    const auto of_set = id_set.empty() ? 0 : builder_.CreateString(id_set);
    const auto of_ids = add(ids);
    const auto of_times = add(times);
    const auto of_labels = add(labels);
    const auto of_clusters = add(clusters);
    std::vector<Offset<wire::GivenArray>> of_anchors;
    of_anchors.reserve(anchor_labels.size());
    for (const Tensor& one : anchor_labels) {
      of_anchors.push_back(add(one));
    }
    const auto anchors = builder_.CreateVector(of_anchors);
    const auto of_weight = builder_.CreateString(weight);
    const auto of_cluster = builder_.CreateString(cluster);
    std::vector<Offset<wire::AskedColumn>> of_columns;
    for (const auto& [of_nodes, column_type, name, seeds_only, dtype] : columns) {
      const auto column = builder_.CreateString(name);
      const auto as = builder_.CreateString(dtype_name(dtype));
      of_columns.push_back(wire::CreateAskedColumn(
          builder_, of_nodes, static_cast<uint32_t>(column_type), column, seeds_only, as));
    }
    const auto wanted = builder_.CreateVector(of_columns);
    wire::OpenBatchesBuilder body(builder_);
    body.add_graph(graph);
    body.add_version(kBatchesVersion);
    body.add_contract(kContractVersion);
    body.add_sampler(of_sampler);
    body.add_links(links);
    body.add_type(static_cast<uint32_t>(type));
    if (!id_set.empty()) {
      body.add_id_set(of_set);
    }
    body.add_seeds(of_ids);
    body.add_times(of_times);
    body.add_labels(of_labels);
    body.add_clusters(of_clusters);
    body.add_anchor_labels(anchors);
    body.add_seeds_by(static_cast<uint8_t>(by));
    body.add_seed_law(static_cast<uint8_t>(law));
    body.add_seed_weight(of_weight);
    body.add_batches(batches);
    body.add_cluster(of_cluster);
    body.add_batch_size(batch_size);
    body.add_shuffle(shuffle);
    body.add_drop_last(drop_last);
    body.add_columns(wanted);
    return finish(body.Finish());
  }

 private:
  Offset<wire::GivenArray> add(const Tensor& tensor) {
    static const std::vector<int64_t> kNone;
    const bool defined = tensor.defined();
    if (defined) {
      arrays_.push_back(tensor);
    }
    const auto dtype = builder_.CreateString(defined ? dtype_name(tensor.dtype()) : "");
    return wire::CreateGivenArray(builder_, dtype,
                                  builder_.CreateVector(defined ? tensor.shape() : kNone));
  }

  Offset<Numbers> add_numbers(const std::vector<size_t>& numbers) {
    std::vector<uint32_t> out(numbers.size());
    std::transform(numbers.begin(), numbers.end(), out.begin(),
                   [](size_t number) { return static_cast<uint32_t>(number); });
    return builder_.CreateVector(out);
  }

  static std::vector<int64_t> flat(const std::vector<std::vector<int64_t>>& rows) {
    std::vector<int64_t> out;
    for (const std::vector<int64_t>& row : rows) {
      out.insert(out.end(), row.begin(), row.end());
    }
    return out;
  }

  Offset<wire::AskedNegatives> add_negatives(const NegativeOptions& options) {
    const auto& [mode, strict, allow_short, in_time, oldest, amount, quarters, source_weight,
                 target_weight, tries] = options;
    const auto source = builder_.CreateString(source_weight);
    const auto target = builder_.CreateString(target_weight);
    return wire::CreateAskedNegatives(builder_, static_cast<uint8_t>(mode), strict, allow_short,
                                      amount, quarters, source, target, tries, in_time, oldest);
  }

  Offset<wire::AskedWalks> add_walks(const WalkOptions& options) {
    const auto& [length, walks, p, q, restart, stop, path] = options;
    const auto of_path = add_numbers(path);
    return wire::CreateAskedWalks(builder_, length, walks, p, q, restart, stop, of_path);
  }

  Offset<wire::AskedImportance> add_importance(const ImportanceOptions& options) {
    const auto& [neighbors, walks, traversals, hops, stop, path] = options;
    const auto of_path = add_numbers(path);
    return wire::CreateAskedImportance(builder_, neighbors, walks, traversals, hops, stop, of_path);
  }

  Offset<wire::AskedPpr> add_ppr(const PprOptions& options) {
    const auto& [neighbors, alpha, epsilon, top_up, max_edges, row_limit, edge_types, channels] =
        options;
    std::vector<Offset<wire::AskedChannel>> of_channels;
    for (const PprChannel& channel : channels) {
      const auto types = add_numbers(channel.edge_types);
      of_channels.push_back(wire::CreateAskedChannel(builder_, types, channel.share));
    }
    const auto types = add_numbers(edge_types);
    const auto all = builder_.CreateVector(of_channels);
    return wire::CreateAskedPpr(builder_, neighbors, alpha, epsilon, top_up, max_edges, row_limit,
                                types, all);
  }

  Offset<wire::AskedHgt> add_hgt(const HgtOptions& options) {
    const auto& [num_hops, samples, most_neighbors] = options;
    const auto of_samples = builder_.CreateVector(flat(samples));
    return wire::CreateAskedHgt(builder_, static_cast<uint32_t>(num_hops), of_samples,
                                most_neighbors);
  }

  Offset<wire::AskedSupervision> add_supervision(const Supervision& one) {
    const auto& [edge_type, node_type, name, negative, sampled, max_labels] = one;
    const auto of_name = builder_.CreateString(name);
    return wire::CreateAskedSupervision(
        builder_, edge_type.has_value(), static_cast<uint32_t>(edge_type.value_or(0)),
        static_cast<uint32_t>(node_type), of_name, negative, sampled, max_labels);
  }

  Offset<wire::AskedSampler> add_sampler(const SamplerOptions& options) {
    const auto& [seed, num_hops, fanouts, direction, replace, edge_ids, disjoint, toward_seeds,
                 int32, weight, exclude, exclude_mode, reverse_column, reverse_types, node_time,
                 edge_time, time_strict, time_window, time_strategy, subgraph, negatives, walk,
                 exclude_links, pick, batch_dependency, layer_dependent, supervisions, importance,
                 ppr, hgt, most] = options;
    static_cast<void>(most);  // a server that makes batches has its own bounds
    const auto of_fanouts = builder_.CreateVector(flat(fanouts));
    const auto of_weight = builder_.CreateString(weight);
    std::vector<Offset<wire::AskedExclude>> sets;
    for (const EdgeSet& set : exclude) {
      const auto edges = add(set.edges);
      sets.push_back(
          wire::CreateAskedExclude(builder_, static_cast<uint32_t>(set.edge_type), edges));
    }
    const auto of_exclude = builder_.CreateVector(sets);
    const auto of_reverse = builder_.CreateString(reverse_column);
    std::vector<size_t> pairs;
    for (const auto& [one, other] : reverse_types) {
      pairs.insert(pairs.end(), {one, other});
    }
    const auto of_pairs = add_numbers(pairs);
    const auto of_node_time = builder_.CreateString(node_time);
    const auto of_edge_time = builder_.CreateString(edge_time);
    const auto of_negatives = add_negatives(negatives);
    const auto of_walk = walk ? add_walks(*walk) : 0;
    std::vector<Offset<wire::AskedSupervision>> all;
    all.reserve(supervisions.size());
    for (const Supervision& one : supervisions) {
      all.push_back(add_supervision(one));
    }
    const auto of_supervisions = builder_.CreateVector(all);
    const auto of_importance = importance ? add_importance(*importance) : 0;
    const auto of_ppr = ppr ? add_ppr(*ppr) : 0;
    const auto of_hgt = hgt ? add_hgt(*hgt) : 0;
    wire::AskedSamplerBuilder out(builder_);
    out.add_seed(seed);
    out.add_num_hops(static_cast<uint32_t>(num_hops));
    out.add_fanouts(of_fanouts);
    out.add_direction(static_cast<uint8_t>(direction));
    out.add_replace(static_cast<uint8_t>(replace));
    out.add_edge_ids(edge_ids);
    out.add_disjoint(disjoint);
    out.add_toward_seeds(toward_seeds);
    out.add_int32_ids(int32);
    out.add_weight(of_weight);
    out.add_exclude(of_exclude);
    out.add_exclude_mode(static_cast<uint8_t>(exclude_mode));
    out.add_reverse_column(of_reverse);
    out.add_reverse_types(of_pairs);
    out.add_node_time(of_node_time);
    out.add_edge_time(of_edge_time);
    out.add_time_strict(time_strict);
    out.add_time_window(time_window);
    out.add_time_strategy(static_cast<uint8_t>(time_strategy));
    out.add_subgraph(static_cast<uint8_t>(subgraph));
    out.add_negatives(of_negatives);
    out.add_walk(of_walk);
    out.add_exclude_links(exclude_links);
    out.add_pick(static_cast<uint8_t>(pick));
    out.add_batch_dependency(batch_dependency);
    out.add_layer_dependent(layer_dependent);
    out.add_supervisions(of_supervisions);
    out.add_importance(of_importance);
    out.add_ppr(of_ppr);
    out.add_hgt(of_hgt);
    return out.Finish();
  }

  net::Message finish(Offset<wire::OpenBatches> body) {
    std::vector<uint64_t> sizes;
    sizes.reserve(arrays_.size());
    for (const Tensor& tensor : arrays_) {
      sizes.push_back(static_cast<uint64_t>(tensor.rows() * tensor.row_bytes()));
    }
    Packed packed = pack(pool_, builder_, body, sizes);
    for (size_t i = 0; i < arrays_.size(); ++i) {
      const Tensor& tensor = arrays_[i];
      const auto row = static_cast<size_t>(tensor.row_bytes());
      for (int64_t at = 0; row > 0 && at < tensor.rows(); ++at) {
        std::memcpy(packed.arrays[i] + static_cast<size_t>(at) * row,
                    tensor.data() + at * tensor.row_stride(), row);
      }
    }
    return std::move(packed.message);
  }

  const Pool& pool_;
  Builder builder_;
  std::vector<Tensor> arrays_;
};

// ---- reading ----

std::vector<size_t> numbers_of(const Numbers& numbers) { return {numbers.begin(), numbers.end()}; }

// One row of `width` numbers for each type.
Result<std::vector<std::vector<int64_t>>> rows_of(const flatbuffers::Vector<int64_t>& values,
                                                  uint32_t width, const char* what) {
  const std::vector<int64_t> flat = numbers_in(values);
  std::vector<std::vector<int64_t>> out;
  if (flat.empty()) {
    return out;
  }
  if (width == 0 || flat.size() % width != 0) {
    return invalid("{}: {} of them for {} hops", what, flat.size(), width).with("argument", what);
  }
  for (auto at = flat.begin(); at != flat.end(); at += width) {
    out.emplace_back(at, at + width);
  }
  return out;
}

class RequestReader {
 public:
  RequestReader(Bytes bytes, const std::shared_ptr<const void>& owner)
      : unpacker_(bytes), owner_(owner) {}

  Result<BatchesRequest> run() {
    const auto* const body = unpacker_.body<wire::OpenBatches>();
    if (body == nullptr) {
      return malformed("a request for batches");
    }
    if (body->version() != kBatchesVersion || body->contract() != kContractVersion) {
      return error(GLS_ERR_UNSUPPORTED,
                   "batches of version {} and contract {} were asked for; this server makes those "
                   "of version {} and contract {}",
                   body->version(), body->contract(), kBatchesVersion, kContractVersion);
    }
    BatchesRequest out;
    out.graph = body->graph();
    GLS_TRY(read_sampler(*body->sampler(), &out.sampler));
    out.seeds.links = body->links();
    out.seeds.type = body->type();
    out.id_set = body->id_set() != nullptr ? body->id_set()->str() : "";
    GLS_ASSIGN(out.seeds.ids, take(*body->seeds()));
    GLS_ASSIGN(out.seeds.times, take(*body->times()));
    GLS_ASSIGN(out.seeds.labels, take(*body->labels()));
    GLS_ASSIGN(out.rule.clusters, take(*body->clusters()));
    for (const auto* labels : *body->anchor_labels()) {
      GLS_ASSIGN(Tensor one, take(*labels));
      out.seeds.anchor_labels.push_back(std::move(one));
    }
    GLS_TRY(unpacker_.finish());
    GLS_TRY(take_choice(body->seeds_by(), SeedsBy::kCluster, "seed_rule", &out.rule.by));
    GLS_TRY(
        take_choice(body->seed_law(), SeedWeighting::kInverseDegree, "seed_law", &out.rule.law));
    out.rule.weight = body->seed_weight()->str();
    out.rule.batches = body->batches();
    out.rule.cluster = body->cluster()->str();
    out.batch_size = body->batch_size();
    out.shuffle = body->shuffle();
    out.drop_last = body->drop_last();
    for (const auto* column : *body->columns()) {
      GLS_ASSIGN(const DLDataType dtype, parse_dtype(column->dtype()->string_view()));
      out.columns.push_back({column->of_nodes(), column->type(), column->column()->str(),
                             column->seeds_only(), dtype});
    }
    return out;
  }

 private:
  Result<Tensor> take(const wire::GivenArray& array) {
    const auto& dims = *array.shape();
    if (dims.size() == 0) {
      return Tensor();
    }
    GLS_ASSIGN(const DLDataType dtype, parse_dtype(array.dtype()->string_view()));
    std::vector<int64_t> shape = numbers_in(dims);
    // Counts dimensions of 0 as 1, so that no partial product is too large either.
    uint64_t bytes = dtype_bytes(dtype);
    bool empty = false;
    for (const int64_t dim : shape) {
      const auto factor = static_cast<uint64_t>(std::max<int64_t>(dim, 1));
      if (dim < 0 || shape.size() > kMostDims ||
          bytes > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()) / factor) {
        return corrupt("an array of shape {} was sent", shape_text(shape));
      }
      bytes *= factor;
      empty = empty || dim == 0;
    }
    const std::byte* data = nullptr;
    GLS_TRY(unpacker_.take(empty ? 0 : bytes, 1, &data));
    return Tensor(owner_, data, dtype, std::move(shape));
  }

  static void read_negatives(const wire::AskedNegatives& body, NegativeOptions* out) {
    out->strict = body.strict();
    out->allow_short = body.allow_short();
    out->in_time = body.in_time();
    out->oldest = body.oldest();
    out->amount = body.amount();
    out->degree_quarters = body.degree_quarters();
    out->source_weight = body.source_weight()->str();
    out->target_weight = body.target_weight()->str();
    out->tries = body.tries();
  }

  static PprOptions read_ppr(const wire::AskedPpr& body) {
    PprOptions out;
    out.neighbors = body.neighbors();
    out.alpha = body.alpha();
    out.epsilon = body.epsilon();
    out.top_up = body.top_up();
    out.max_edges = body.max_edges();
    out.row_limit = body.row_limit();
    out.edge_types = numbers_of(*body.edge_types());
    for (const auto* channel : *body.channels()) {
      out.channels.push_back({numbers_of(*channel->edge_types()), channel->share()});
    }
    return out;
  }

  static void read_supervisions(const Tables<wire::AskedSupervision>& all,
                                std::vector<Supervision>* out) {
    for (const auto* body : all) {
      Supervision& one = out->emplace_back();
      if (body->of_edges()) {
        one.edge_type = body->edge_type();
      }
      one.node_type = body->node_type();
      one.name = body->name()->str();
      one.negative = body->negative();
      one.sampled = body->sampled();
      one.max_labels = body->max_labels();
    }
  }

  // The method of the sampler; a neighbour sampler has no such table.
  static Status read_kind(const wire::AskedSampler& body, SamplerOptions* out) {
    if (const auto* walk = body.walk()) {
      out->walk = WalkOptions{walk->length(),
                              walk->walks(),
                              walk->p(),
                              walk->q(),
                              walk->restart(),
                              walk->stop(),
                              numbers_of(*walk->path())};
    }
    if (const auto* importance = body.importance()) {
      out->importance = ImportanceOptions{
          importance->neighbors(), importance->walks(), importance->traversals(),
          importance->hops(),      importance->stop(),  numbers_of(*importance->path())};
    }
    if (const auto* ppr = body.ppr()) {
      out->ppr = read_ppr(*ppr);
    }
    if (const auto* hgt = body.hgt()) {
      HgtOptions& read = out->hgt.emplace();
      read.num_hops = hgt->num_hops();
      GLS_ASSIGN(read.samples, rows_of(*hgt->samples(), hgt->num_hops(), "samples"));
      read.most_neighbors = hgt->most_neighbors();
    }
    return {};
  }

  Status read_sampler(const wire::AskedSampler& body, SamplerOptions* out) {
    out->seed = body.seed();
    out->num_hops = body.num_hops();
    GLS_ASSIGN(out->fanouts, rows_of(*body.fanouts(), body.num_hops(), "fanouts"));
    GLS_TRY(take_choice(body.direction(), Direction::kOut, "direction", &out->direction));
    GLS_TRY(take_choice(body.replace(), Replace::kAlways, "replace", &out->replace));
    GLS_TRY(take_choice(body.exclude_mode(), ExcludeMode::kReverseTypes, "exclude_mode",
                        &out->exclude_mode));
    GLS_TRY(take_choice(body.time_strategy(), TimeStrategy::kLast, "time_strategy",
                        &out->time_strategy));
    GLS_TRY(take_choice(body.subgraph(), Subgraph::kBidirectional, "subgraph", &out->subgraph));
    GLS_TRY(take_choice(body.pick(), Pick::kLayer, "pick", &out->pick));
    GLS_TRY(take_choice(body.negatives()->mode(), NegativeMode::kTriplet, "mode",
                        &out->negatives.mode));
    out->edge_ids = body.edge_ids();
    out->disjoint = body.disjoint();
    out->toward_seeds = body.toward_seeds();
    out->int32 = body.int32_ids();
    out->weight = body.weight()->str();
    for (const auto* set : *body.exclude()) {
      GLS_ASSIGN(Tensor edges, take(*set->edges()));
      out->exclude.push_back({set->edge_type(), std::move(edges)});
    }
    out->reverse_column = body.reverse_column()->str();
    const std::vector<size_t> pairs = numbers_of(*body.reverse_types());
    if (pairs.size() % 2 != 0) {
      return invalid("reverse_types: {} of them, expected pairs", pairs.size())
          .with("argument", "reverse_types");
    }
    for (size_t i = 0; i + 1 < pairs.size(); i += 2) {
      out->reverse_types.emplace_back(pairs[i], pairs[i + 1]);
    }
    out->node_time = body.node_time()->str();
    out->edge_time = body.edge_time()->str();
    out->time_strict = body.time_strict();
    out->time_window = body.time_window();
    read_negatives(*body.negatives(), &out->negatives);
    out->exclude_links = body.exclude_links();
    out->batch_dependency = body.batch_dependency();
    out->layer_dependent = body.layer_dependent();
    read_supervisions(*body.supervisions(), &out->supervisions);
    return read_kind(body, out);
  }

  Unpacker unpacker_;
  const std::shared_ptr<const void>& owner_;
};

}  // namespace

Result<net::Message> encode(const Pool& pool, const BatchesRequest& request) {
  return RequestWriter(pool).run(request);
}

Result<BatchesRequest> decode_batches_request(Bytes bytes,
                                              const std::shared_ptr<const void>& owner) {
  return RequestReader(bytes, owner).run();
}

net::Message encode(const Pool& pool, const BatchRequest& request) {
  Builder builder;
  const auto next = builder.CreateVector(request.next);
  return pack(pool, builder,
              wire::CreateBatchRequest(builder, request.batches, request.epoch, request.number,
                                       next),
              {})
      .message;
}

Result<BatchRequest> decode_batch_request(Bytes bytes) {
  const Unpacker unpacker(bytes);
  const auto* const body = unpacker.body<wire::BatchRequest>();
  if (body == nullptr || body->next()->size() > kMostNext) {
    return malformed("a request for a batch");
  }
  GLS_TRY(unpacker.finish());
  return BatchRequest{body->batches(), body->epoch(), body->number(), numbers_in(*body->next())};
}

net::Message encode_batch(const Pool& pool, const BatchLayout& layout) {
  Builder builder;
  const auto body = wire::CreateMadeBatch(builder, layout.bytes, layout.description.size());
  Packed packed = pack(pool, builder, body, std::span(&layout.bytes, 1));
  write_batch(layout, packed.arrays[0]);
  return std::move(packed.message);
}

Result<std::shared_ptr<Batch>> decode_batch(net::Message message,
                                            const std::shared_ptr<const Dataset>& names) {
  Unpacker unpacker(message.bytes());
  const auto* const body = unpacker.body<wire::MadeBatch>();
  if (body == nullptr || body->description_bytes() > body->bytes()) {
    return malformed("an answer with a batch");
  }
  const std::byte* data = nullptr;
  const uint64_t bytes = body->bytes();
  const uint64_t description = body->description_bytes();
  GLS_TRY(unpacker.take(bytes, 1, &data));
  GLS_TRY(unpacker.finish());
  const std::shared_ptr<const void> owner =
      std::make_shared<const Buffer>(std::move(message).take());
  return read_batch({data, description}, {data, bytes}, owner, names, false);
}

Status unknown_batches(uint64_t number) {
  return not_found("there are no batches number {} here", number).with("answer", kUnknownBatches);
}

bool is_unknown_batches(const Status& status) { return status.has("answer", kUnknownBatches); }

Status too_many_asked(size_t most) {
  return error(GLS_ERR_INVALID_STATE,
               "{} questions of one client wait already, the most there may be", most)
      .with("answer", kTooMany);
}

Status too_many_opened(uint64_t bytes) {
  return error(
             GLS_ERR_INVALID_STATE,
             "as many batches are opened here as may be ({} bytes of options and tables at most), "
             "and all of them are in use",
             bytes)
      .with("answer", kTooMany);
}

Status too_many_unread(uint64_t bytes) {
  return error(GLS_ERR_INVALID_STATE,
               "{} bytes of earlier answers wait to be read by this client, the most there may be",
               bytes)
      .with("answer", kTooMany);
}

bool is_too_many_asked(const Status& status) { return status.has("answer", kTooMany); }

}  // namespace gls::cluster
