#include <cmath>
#include <string_view>

#include "capi/options/hgt_options.h"
#include "capi/options/importance_options.h"
#include "capi/options/per_hop.h"
#include "capi/options/supervision_options.h"
#include "capi/options/walk_options.h"
#include "capi/support/devices.h"
#include "capi/support/support.h"
#include "sample/links/links.h"
#include "sample/neighbor/anchors.h"

namespace gls {
namespace {

using capi::check_enum;
using capi::kind_name;

constexpr uint32_t kSamplerFlags =
    GLS_SAMPLE_EDGE_IDS | GLS_SAMPLE_DISJOINT | GLS_SAMPLE_TOWARD_SEEDS | GLS_SAMPLE_INT32 |
    GLS_SAMPLE_TIME_STRICT | GLS_SAMPLE_EXCLUDE_LINKS | GLS_SAMPLE_LAYER_DEPENDENT;

// Fanouts per edge type: its own entry, or the entry for all types.
Status read_fanouts(const Dataset& dataset, const gls_sampler_options_t& given,
                    SamplerOptions* out) {
  if (given.num_fanouts == 0 && given.subgraph == GLS_SUBGRAPH_INDUCED) {
    out->fanouts.resize(dataset.edge_types().size());
    return {};
  }
  if (given.num_fanouts == 0) {
    return invalid("fanouts: none given, expected at least one entry").with("argument", "fanouts");
  }
  GLS_REQUIRE(given.fanouts);
  std::vector<capi::PerHopEntry> entries;
  for (size_t i = 0; i < given.num_fanouts; ++i) {
    const gls_fanout_t& entry = given.fanouts[i];
    entries.push_back({entry.edge_type, entry.per_hop, entry.num_hops});
  }
  GLS_ASSIGN(const capi::PerHop per_hop,
             capi::read_per_hop(entries,
                                {"fanouts", "edge type", dataset.edge_types().size(),
                                 [&](const char* type) { return dataset.edge_type_index(type); }}));
  const auto& [num_hops, own, for_all] = per_hop;
  out->num_hops = num_hops;
  const std::vector<bool> followed = followed_types(dataset, *out);
  for (size_t t = 0; t < own.size(); ++t) {
    const capi::PerHopEntry* const entry = own[t] != nullptr ? own[t] : for_all;
    if (own[t] == nullptr && !followed[t]) {
      out->fanouts.emplace_back(out->num_hops, 0);  // an entry for all types does not include it
      continue;
    }
    if (entry == nullptr) {
      return invalid("fanouts: edge type \"{}\" has no entry, and there is none for all",
                     dataset.edge_types()[t].joined)
          .with("argument", "fanouts");
    }
    out->fanouts.emplace_back(entry->per_hop, entry->per_hop + entry->num_hops);
  }
  return {};
}

Result<NegativeOptions> read_negatives(const gls_negative_options_t* options) {
  NegativeOptions out;
  if (options == nullptr) {
    return out;
  }
  gls_negative_options_t given;
  GLS_TRY(capi::read_options(options, "negatives", &given));
  GLS_TRY(check_enum(given.mode, GLS_NEGATIVE_TRIPLET, "mode"));
  GLS_TRY(capi::check_flags(given.flags, GLS_NEGATIVE_STRICT | GLS_NEGATIVE_ALLOW_SHORT, "flags"));
  GLS_TRY(capi::check_reserved(given.reserved));
  const bool others_set = given.flags != 0 || given.amount != 0 || given.degree_power != 0 ||
                          given.source_weight != nullptr || given.target_weight != nullptr ||
                          given.tries != 0;
  if (given.mode == GLS_NEGATIVE_NONE && others_set) {
    return invalid("mode is GLS_NEGATIVE_NONE, but other fields of negatives are set")
        .with("argument", "mode");
  }
  out.mode = static_cast<NegativeMode>(given.mode);
  out.strict = (given.flags & GLS_NEGATIVE_STRICT) != 0;
  out.allow_short = (given.flags & GLS_NEGATIVE_ALLOW_SHORT) != 0;
  out.amount = given.amount != 0 ? given.amount : 1;
  const double quarters = 4 * given.degree_power;
  constexpr double kMostQuarters = 8;
  if (!(quarters >= 0 && quarters <= kMostQuarters && quarters == std::floor(quarters))) {
    return invalid("degree_power is {}, expected a multiple of 0.25 from 0 to 2",
                   given.degree_power)
        .with("argument", "degree_power");
  }
  out.degree_quarters = static_cast<uint32_t>(quarters);
  out.source_weight = given.source_weight != nullptr ? given.source_weight : "";
  out.target_weight = given.target_weight != nullptr ? given.target_weight : "";
  out.tries = given.tries != 0 ? given.tries : out.tries;
  return out;
}

// Refuses options of another sampling method.
Status check_kind_options(const gls_sampler_options_t& given) {
  struct OfKind {
    const char* name;
    const void* options;
    int32_t kind;
  };
  for (const OfKind& entry :
       {OfKind{"walk", given.walk, GLS_SAMPLER_WALK},
        OfKind{"importance", given.importance, GLS_SAMPLER_IMPORTANCE},
        OfKind{"ppr", given.ppr, GLS_SAMPLER_PPR}, OfKind{"hgt", given.hgt, GLS_SAMPLER_HGT}}) {
    if (entry.options != nullptr && given.kind != entry.kind) {
      return invalid("{} is given, but the sampler is of kind {}; expected one of the two",
                     entry.name, kind_name(given.kind))
          .with("argument", entry.name);
    }
  }
  return {};
}

Result<SamplerOptions> read_sampler_options(const Dataset& dataset,
                                            const gls_sampler_options_t& given) {
  GLS_TRY(check_enum(given.kind, GLS_SAMPLER_HGT, "kind"));
  GLS_TRY(capi::check_flags(given.flags, kSamplerFlags, "flags"));
  GLS_TRY(check_enum(given.direction, GLS_DIRECTION_OUT, "direction"));
  GLS_TRY(check_enum(given.replace, GLS_REPLACE_ALWAYS, "replace"));
  GLS_TRY(check_enum(given.exclude_mode, GLS_EXCLUDE_REVERSE_TYPES, "exclude_mode"));
  GLS_TRY(check_enum(given.time_strategy, GLS_TIME_LAST, "time_strategy"));
  GLS_TRY(check_enum(given.subgraph, GLS_SUBGRAPH_BIDIRECTIONAL, "subgraph"));
  GLS_TRY(check_enum(given.pick, GLS_PICK_LAYER, "pick"));
  if (given.contract > kContractVersion) {
    return error(GLS_ERR_UNSUPPORTED, "contract is {}, this library knows 1 to {}", given.contract,
                 kContractVersion)
        .with("argument", "contract");
  }
  SamplerOptions out;
  out.seed = given.seed;
  GLS_TRY(check_kind_options(given));
  if (given.kind == GLS_SAMPLER_WALK) {
    GLS_TRY(capi::read_walks(dataset, given, &out));
  } else if (given.kind == GLS_SAMPLER_HGT) {
    GLS_TRY(capi::read_hgt(dataset, given, &out));
  } else if (given.kind != GLS_SAMPLER_NEIGHBOR) {
    GLS_TRY(capi::read_near(dataset, given, &out));
  } else {
    GLS_ASSIGN(out.supervisions,
               capi::read_supervisions(dataset, given.supervisions, given.num_supervisions));
    GLS_TRY(read_fanouts(dataset, given, &out));
  }
  out.direction = static_cast<Direction>(given.direction);
  out.replace = static_cast<Replace>(given.replace);
  out.edge_ids = (given.flags & GLS_SAMPLE_EDGE_IDS) != 0;
  out.disjoint = (given.flags & GLS_SAMPLE_DISJOINT) != 0;
  out.toward_seeds = (given.flags & GLS_SAMPLE_TOWARD_SEEDS) != 0;
  out.int32 = (given.flags & GLS_SAMPLE_INT32) != 0;
  out.weight = given.weight != nullptr ? given.weight : "";
  out.node_time = given.node_time != nullptr ? given.node_time : "";
  out.edge_time = given.edge_time != nullptr ? given.edge_time : "";
  out.time_strict = (given.flags & GLS_SAMPLE_TIME_STRICT) != 0;
  out.time_window = given.time_window;
  out.time_strategy = static_cast<TimeStrategy>(given.time_strategy);
  out.subgraph = static_cast<Subgraph>(given.subgraph);
  out.exclude_links = (given.flags & GLS_SAMPLE_EXCLUDE_LINKS) != 0;
  out.pick = static_cast<Pick>(given.pick);
  out.batch_dependency = given.batch_dependency;
  out.layer_dependent = (given.flags & GLS_SAMPLE_LAYER_DEPENDENT) != 0;
  GLS_ASSIGN(out.negatives, read_negatives(given.negatives));
  GLS_ASSIGN(out.exclude,
             capi::read_edge_sets(dataset, given.exclude, given.num_exclude, "exclude"));
  out.exclude_mode = static_cast<ExcludeMode>(given.exclude_mode);
  if (out.exclude_mode == ExcludeMode::kReverseId) {
    if (given.reverse_column == nullptr) {
      return invalid(
                 "reverse_column: none given, expected one, as edges are excluded by reverse id")
          .with("argument", "reverse_column");
    }
    out.reverse_column = given.reverse_column;
  } else if (given.reverse_column != nullptr) {
    return invalid("reverse_column is \"{}\", but edges are not excluded by reverse id",
                   given.reverse_column)
        .with("argument", "exclude_mode");
  }
  const bool of_excluded = out.exclude_mode == ExcludeMode::kReverseTypes;
  const bool both_ways = out.subgraph == Subgraph::kBidirectional;
  if (!of_excluded && !both_ways && given.num_reverse_types > 0) {
    return invalid(
               "reverse_types are given, but edges are not excluded by reverse types, nor is the "
               "subgraph bidirectional")
        .with("argument", "exclude_mode");
  }
  const bool some_given = given.num_reverse_types > 0;
  if ((of_excluded && !some_given) || (some_given && given.reverse_types == nullptr)) {
    return invalid("reverse_types: none given, expected at least one pair")
        .with("argument", "reverse_types");
  }
  if (some_given) {
    for (size_t i = 0; i < given.num_reverse_types; ++i) {
      GLS_ASSIGN(const size_t one, dataset.edge_type_index(given.reverse_types[i].edge_type));
      GLS_ASSIGN(const size_t other, dataset.edge_type_index(given.reverse_types[i].reverse_type));
      out.reverse_types.emplace_back(one, other);
    }
  }
  return out;
}

Status create_sampler(const gls_dataset_t& dataset, const gls_sampler_options_t& options,
                      gls_sampler_t** out) {
  gls_sampler_options_t given;
  GLS_TRY(capi::read_options(&options, "options", &given));
  GLS_ASSIGN(std::shared_ptr<Device> device, capi::open_device(given.device, dataset.device()));
  GLS_ASSIGN(SamplerOptions read, read_sampler_options(*dataset.impl, given));
  GLS_ASSIGN(auto sampler, Sampler::create(dataset.impl, std::move(read)));
  std::shared_ptr<const SamplerOnDevice> there;
  if (device != nullptr) {
    GLS_ASSIGN(there, SamplerOnDevice::open(sampler, std::move(device)));
  }
  *out = new gls_sampler{std::move(sampler), std::move(there)};
  return {};
}

// The tensors behind IdSpans must outlive them, so they are kept here.
struct Request {
  SampleRequest request;
  std::vector<Tensor> tensors;
};

Status read_links(const Dataset& dataset, const gls_link_set_t* links, Request* out) {
  gls_link_set_t given;
  GLS_TRY(capi::read_options(links, "links", &given));
  LinkSet& set = out->request.links.emplace();
  GLS_ASSIGN(set.edge_type, dataset.edge_type_index(given.edge_type));
  if (given.links == nullptr) {
    return capi::null_argument("links");
  }
  GLS_ASSIGN(set.links, Tensor::borrow(*given.links, "links"));
  if (given.times != nullptr) {
    GLS_ASSIGN(Tensor times, Tensor::borrow(*given.times, "times"));
    GLS_ASSIGN(set.times, IdSpan::of(times, "times"));
    out->tensors.push_back(std::move(times));
  }
  if (given.labels != nullptr) {
    GLS_ASSIGN(set.labels, Tensor::borrow(*given.labels, "labels"));
  }
  return {};
}

Result<Request> read_request(const Sampler& sampler, const gls_sample_request_t* given) {
  const Dataset& dataset = *sampler.dataset();
  const size_t supervisions = sampler.options().supervisions.size();
  gls_sample_request_t read;
  GLS_TRY(capi::read_options(given, "request", &read));
  Request out;
  out.request.epoch = read.epoch;
  out.request.batch = read.batch;
  if (read.num_seeds > 0 && read.seeds == nullptr) {
    return capi::null_argument("seeds");
  }
  for (size_t i = 0; i < read.num_seeds; ++i) {
    GLS_ASSIGN(const size_t type, dataset.node_type_index(read.seeds[i].node_type));
    for (const SeedSet& earlier : out.request.seeds) {
      if (earlier.node_type == type) {
        return invalid("seeds: node type \"{}\" is given twice", dataset.node_types()[type].name)
            .with("argument", "seeds");
      }
    }
    if (read.seeds[i].ids == nullptr) {
      return capi::null_argument("seeds[].ids");
    }
    GLS_ASSIGN(Tensor tensor, Tensor::borrow(*read.seeds[i].ids, "seeds"));
    GLS_ASSIGN(const IdSpan ids, IdSpan::of(tensor, "seeds"));
    out.tensors.push_back(std::move(tensor));
    IdSpan times;
    if (read.times != nullptr) {
      if (read.times[i] == nullptr) {
        return capi::null_argument("times[]");
      }
      GLS_ASSIGN(Tensor given_times, Tensor::borrow(*read.times[i], "times"));
      GLS_ASSIGN(times, IdSpan::of(given_times, "times"));
      out.tensors.push_back(std::move(given_times));
    }
    out.request.seeds.push_back({type, ids, times});
  }
  if (read.links == nullptr && read.num_seeds > 0) {
    GLS_TRY(check_node_seeds(sampler.options()));
  }
  if (read.links != nullptr) {
    if (read.times != nullptr) {
      return invalid("times are given for seeds, but there are links, which have their own")
          .with("argument", "times");
    }
    GLS_TRY(read_links(dataset, read.links, &out));
  }
  GLS_ASSIGN(out.request.labels, capi::read_labels(read.labels, read.num_labels, supervisions));
  GLS_ASSIGN(out.request.exclude,
             capi::read_edge_sets(dataset, read.exclude, read.num_exclude, "exclude"));
  if (out.request.links.has_value()) {
    const bool named = sampler.names_excluded() || !out.request.exclude.empty();
    GLS_TRY(check_exclusion(sampler.options(), named, true));
  }
  return out;
}

}  // namespace
}  // namespace gls

using gls::Status;
using gls::capi::guard;

extern "C" {

gls_status_t gls_sampler_create(gls_dataset_t* dataset, const gls_sampler_options_t* options,
                                gls_sampler_t** out, gls_error_t** err) {
  return guard(err, [&]() -> Status {
    GLS_USE(dataset);
    GLS_REQUIRE(options);
    GLS_REQUIRE(out);
    return gls::create_sampler(*dataset, *options, out);
  });
}

gls_status_t gls_sampler_device(const gls_sampler_t* sampler, DLDevice* out, gls_error_t** err) {
  return guard(err, [&]() -> Status {
    GLS_USE(sampler);
    GLS_REQUIRE(out);
    *out = gls::capi::name_of(sampler->device());
    return {};
  });
}

void gls_sampler_release(gls_sampler_t* sampler) {
  if (sampler != nullptr) {
    const std::shared_ptr<gls::Context> context = sampler->impl->dataset()->context();
    gls::capi::release(sampler, *context);
  }
}

gls_status_t gls_sampler_sample(const gls_sampler_t* sampler, const gls_sample_request_t* request,
                                gls_batch_t** out, gls_error_t** err) {
  return guard(err, [&]() -> Status {
    GLS_USE(sampler);
    GLS_REQUIRE(request);
    GLS_REQUIRE(out);
    GLS_ASSIGN(const gls::Request read, gls::read_request(*sampler->impl, request));
    GLS_ASSIGN(auto batch, sampler->there != nullptr ? sampler->there->sample(read.request)
                                                     : sampler->impl->sample(read.request));
    *out = new gls_batch{std::move(batch)};
    return {};
  });
}

}  // extern "C"
