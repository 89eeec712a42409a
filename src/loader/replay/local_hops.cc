#include "loader/replay/local_hops.h"

#include <algorithm>
#include <utility>

#include "base/float_mode.h"
#include "sample/answer_hop.h"

namespace gls {

LocalHops::LocalHops(std::shared_ptr<const Sampler> sampler, uint64_t chunk_bytes)
    : sampler_(std::move(sampler)),
      chunk_bytes_(chunk_bytes),
      entries_(std::make_unique<Entry[]>(dataset().edge_types().size())) {}

Result<HopPicks> LocalHops::answer(const HopQuestion& question) const {
  const DefaultFloatMode float_mode;
  HopQuestion local = question;
  local.rows = question.nodes;
  return answer_hop(*sampler_, local);
}

const std::optional<Topology>& LocalHops::topology(size_t edge_type) const {
  return dataset().edge_types()[edge_type].topology(rows_of_targets() ? Layout::kCsc
                                                                      : Layout::kCsr);
}

const RowChunks& LocalHops::chunks(size_t edge_type) const {
  Entry& entry = entries_[edge_type];
  std::call_once(entry.once, [&] {
    const Topology& rows = *topology(edge_type);
    const SamplerOptions& options = sampler_->options();
    std::vector<Tensor> arrays;
    if (rows.edge_ids_tensor.defined()) {
      if (options.edge_ids) {
        arrays.push_back(rows.edge_ids_tensor);
      }
    } else {  // columns have one row for each position
      const EdgeType& type = dataset().edge_types()[edge_type];
      for (const std::string& name : {options.weight, options.edge_time}) {
        const Column* const column = name.empty() ? nullptr : type.find_column(name);
        if (column != nullptr && column->data.rows() == rows.num_edges) {
          arrays.push_back(column->data);
        }
      }
    }
    const bool whole_rows =
        options.pick == Pick::kLayer || !options.weight.empty() || options.temporal() ||
        std::ranges::any_of(options.fanouts[edge_type], [](int64_t fanout) { return fanout < 0; });
    entry.chunks.emplace(rows, std::move(arrays), whole_rows, chunk_bytes_);
  });
  return *entry.chunks;
}

}  // namespace gls
