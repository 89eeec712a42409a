#include "sample/pick/pick.h"

#include <algorithm>
#include <cmath>

#include "host_device/exclusion_filter.h"

namespace gls {

int64_t entry_position(const RowPick& row, int64_t index) {
  if (row.entries != nullptr) {
    return row.entries->position(index);
  }
  return kept_position(row.begin, index,
                       {row.excluded.data(), static_cast<int64_t>(row.excluded.size())});
}

void append_entries(const RowPick& row, std::vector<int64_t>* out) {
  if (row.entries != nullptr) {
    row.entries->append(out);
    return;
  }
  size_t next = 0;
  for (int64_t position = row.begin; position < row.begin + row.degree; ++position) {
    if (next < row.excluded.size() && row.excluded[next] == position) {
      ++next;
    } else {
      out->push_back(position);
    }
  }
}

void append_last(const RowPick& row, int64_t count, std::vector<int64_t>* out) {
  for (int64_t i = std::max<int64_t>(0, row.size() - count); i < row.size(); ++i) {
    out->push_back(entry_position(row, i));
  }
}

// ---- uniform -----------------------------------------------------------------------------------

void RowPicker::uniform(const RowPick& row, std::vector<int64_t>* out) {
  const auto degree = static_cast<uint64_t>(row.size());
  const uint64_t count = row_picks(degree, row.fanout, row.replace);
  if (count == 0) {
    return;
  }
  const PickWay way = pick_way(degree, row.fanout, row.replace);
  if (way == PickWay::kAll) {
    append_entries(row, out);
    return;
  }
  RowDraws draws(row.key, row.row_word, row.node);
  picks_.clear();
  if (way == PickWay::kRepeated) {
    for (uint64_t j = 0; j < count; ++j) {
      picks_.push_back(static_cast<int64_t>(draws.below(static_cast<uint32_t>(j), degree, degree)));
    }
  } else {
    without_replacement(draws, degree, count);
  }
  for (const int64_t index : picks_) {
    out->push_back(entry_position(row, index));
  }
}

// Floyd's algorithm (CACM 30:9, 1987).
void RowPicker::without_replacement(RowDraws& draws, uint64_t degree, uint64_t fanout) {
  taken_.start(degree, fanout);
  for (uint64_t j = 0; j < fanout; ++j) {
    auto pick = static_cast<int64_t>(floyd_draw(draws, degree, fanout, static_cast<uint32_t>(j)));
    if (!taken_.insert(pick)) {
      pick = static_cast<int64_t>(floyd_top(degree, fanout, static_cast<uint32_t>(j)));
      taken_.insert(pick);
    }
    picks_.push_back(pick);
  }
}

// ---- weighted ----------------------------------------------------------------------------------

Status RowPicker::load_weights(const RowPick& row, const Topology& topology,
                               const Weights& weights) {
  kept_.clear();
  parts_.clear();
  const Tensor& column = weights.column;
  append_entries(row, &kept_);
  for (const int64_t position : kept_) {
    const int64_t id = topology.edge_id(position);
    if (id < 0 || id >= column.rows()) {
      return corrupt("edge id at position {} is {}, expected 0 .. {}", position, id,
                     column.rows() - 1)
          .with("offset", std::to_string(position));
    }
    const int64_t at = weights.by_position ? position : id;
    const double weight =
        element_as_double(column.data() + at * column.row_stride(), column.dtype(), 0);
    if (!(weight >= 0) || std::isinf(weight)) {
      return corrupt("weight of edge {} is {}, expected a finite number not below 0", id, weight);
    }
    parts_.add(weight);
  }
  return {};
}

Status RowPicker::divide(const RowPick& row) {
  if (parts_.divide()) {
    return {};
  }
  return corrupt("the weights of the edges of node {} add up to infinity", row.node);
}

// Checked before the row is read, which for this many entries would take tens of gigabytes.
Status RowPicker::check_size(const RowPick& row) {
  if (row.size() <= kMostWeighted) {
    return {};
  }
  return error(GLS_ERR_UNSUPPORTED,
               "node {} has {} edges to pick from by weight, at most {} can be", row.node,
               row.size(), kMostWeighted);
}

Status RowPicker::load(const RowPick& row, const Topology& topology, const Weights& weights) {
  GLS_TRY(check_size(row));
  GLS_TRY(load_weights(row, topology, weights));
  if (!any()) {
    return {};
  }
  GLS_TRY(divide(row));
  make_slots();
  return {};
}

void RowPicker::make_slots() {
  slots_.resize(kept_.size());
  make_alias(parts_.parts(), slots_.data());
}

Status RowPicker::weighted(const RowPick& row, const Topology& topology, const Weights& weights,
                           std::vector<int64_t>* out) {
  if (row.fanout == 0 || row.size() == 0) {
    return {};
  }
  if (row.fanout > 0) {
    GLS_TRY(check_size(row));
  }
  GLS_TRY(load_weights(row, topology, weights));
  if (!any()) {
    return {};
  }
  if (row.fanout < 0 || (row.replace != Replace::kAlways && parts_.num_positive() <= row.fanout)) {
    for (size_t i = 0; i < kept_.size(); ++i) {
      if (parts_.weights()[i] > 0) {
        out->push_back(kept_[i]);
      }
    }
    return {};
  }
  GLS_TRY(divide(row));
  RowDraws draws(row.key, row.row_word, row.node);
  picks_.clear();
  make_slots();
  if (row.replace == Replace::kNever) {
    alias_.distinct(slots_, draws, row.fanout, &picks_);
  } else {
    AliasPicker::repeated(slots_, draws, row.fanout, &picks_);
  }
  for (const int64_t index : picks_) {
    out->push_back(kept_[static_cast<size_t>(index)]);
  }
  return {};
}

}  // namespace gls
