#include "capi/options/hgt_options.h"

#include "capi/options/per_hop.h"
#include "capi/options/walk_options.h"
#include "capi/support/support.h"

namespace gls::capi {

Status read_hgt(const Dataset& dataset, const gls_sampler_options_t& given, SamplerOptions* out) {
  if (given.hgt == nullptr) {
    return invalid("hgt is NULL, but a sampler of kind hgt needs it").with("argument", "hgt");
  }
  GLS_TRY(refuse_neighbor_options(given));
  gls_hgt_options_t hgt;
  GLS_TRY(read_options(given.hgt, "hgt", &hgt));
  GLS_TRY(check_reserved(hgt.reserved));
  if (hgt.num_samples == 0) {
    return invalid("samples: none given, expected at least one entry").with("argument", "samples");
  }
  if (hgt.samples == nullptr) {
    return null_argument("samples");
  }
  std::vector<PerHopEntry> entries;
  for (size_t i = 0; i < hgt.num_samples; ++i) {
    const gls_node_samples_t& entry = hgt.samples[i];
    entries.push_back({entry.node_type, entry.per_hop, entry.num_hops});
  }
  const std::vector<NodeType>& types = dataset.node_types();
  GLS_ASSIGN(const PerHop per_hop,
             read_per_hop(entries, {"samples", "node type", types.size(), [&](const char* type) {
                                      return dataset.node_type_index(type);
                                    }}));
  HgtOptions& read = out->hgt.emplace();
  read.num_hops = per_hop.num_hops;
  read.most_neighbors = hgt.most_neighbors != 0 ? hgt.most_neighbors : read.most_neighbors;
  for (size_t t = 0; t < types.size(); ++t) {
    const PerHopEntry* const entry = per_hop.own[t] != nullptr ? per_hop.own[t] : per_hop.for_all;
    if (entry == nullptr) {
      return invalid("samples: node type \"{}\" has no entry, and there is none for all",
                     types[t].name)
          .with("argument", "samples");
    }
    read.samples.emplace_back(entry->per_hop, entry->per_hop + entry->num_hops);
  }
  return {};
}

}  // namespace gls::capi
