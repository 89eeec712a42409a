#include "sample/neighbor/anchors.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "base/philox.h"
#include "graph/dataset/topology_query.h"
#include "sample/batch/relabel.h"
#include "sample/neighbor/request_seeds.h"

namespace gls {
namespace {

constexpr uint32_t kLabelHop = 255;  // no hop has this number

// Labels of all anchors, one anchor after another.
struct Found {
  std::vector<int64_t> ids;
  std::vector<int64_t> counts;  // by anchor
  int64_t width = 0;
};

Status too_many(const Supervision& supervision, int64_t anchors, int64_t width) {
  return error(GLS_ERR_UNSUPPORTED,
               "supervision \"{}\": {} labels for each of {} anchors are more than {}; use "
               "max_labels or smaller batches",
               supervision.name, width, anchors, Relabel::kMaxLocal)
      .with("argument", "supervisions");
}

// Finds labels as targets in rows of the CSR.
class LabelFinder {
 public:
  LabelFinder(const Dataset& dataset, const Supervision& supervision, uint64_t key,
              RowPicker& picker)
      : supervision_(supervision),
        type_(dataset.edge_types()[*supervision.edge_type]),
        nodes_(dataset.node_types()[type_.target].count),
        word_(row_word(kLabelHop, static_cast<uint32_t>(*supervision.edge_type))),
        key_(key),
        picker_(picker) {}

  Result<Found> find(const IdSpan& anchors) {
    return find_in(
        anchors, [&](int64_t i) { return row_range(type_, *type_.csr, anchors[i]); },
        [&](int64_t position) { return type_.csr->neighbor(position); });
  }

  // Finds labels in rows that were fetched completely.
  Result<Found> find(const IdSpan& anchors, const HopPicks& rows) {
    GLS_TRY(check_picks(rows, type_, nodes_));
    const IdSpan neighbors(rows.neighbors.data(), same_dtype(rows.neighbors.dtype(), kInt64),
                           rows.neighbors.rows());
    int64_t end = 0;
    return find_in(
        anchors,
        [&](int64_t i) -> Result<RowRange> {
          const int64_t begin = end;
          end += rows.counts.as<int32_t>()[i];
          return RowRange{begin, end};
        },
        [&](int64_t position) { return neighbors[position]; });
  }

 private:
  // Calls `row_of` for each anchor in order.
  template <typename RowOf, typename Neighbor>
  Result<Found> find_in(const IdSpan& anchors, const RowOf& row_of, const Neighbor& neighbor) {
    Found out;
    out.width = supervision_.max_labels;
    for (int64_t i = 0; i < anchors.size(); ++i) {
      GLS_ASSIGN(const RowRange row, row_of(i));
      if (supervision_.max_labels == 0) {
        out.width = std::max(out.width, row.size());
      }
      if (out.width > Relabel::kMaxLocal / anchors.size()) {
        return too_many(supervision_, anchors.size(), out.width);
      }
      GLS_TRY(take(anchors[i], row, neighbor, &out));
    }
    return out;
  }

  template <typename Neighbor>
  Status take(int64_t anchor, RowRange row, const Neighbor& neighbor, Found* out) {
    RowPick pick = {};
    pick.node = static_cast<uint64_t>(anchor);
    pick.key = key_;
    pick.row_word = word_;
    pick.begin = row.begin;
    pick.degree = row.size();
    pick.fanout = supervision_.max_labels == 0 ? -1 : supervision_.max_labels;
    positions_.clear();
    picker_.uniform(pick, &positions_);
    for (const int64_t position : positions_) {
      const int64_t label = neighbor(position);
      if (label < 0 || label >= nodes_) {
        return bad_stored_id(type_, "index", position, label, nodes_);
      }
      out->ids.push_back(label);
    }
    out->counts.push_back(static_cast<int64_t>(positions_.size()));
    return {};
  }

  const Supervision& supervision_;
  const EdgeType& type_;
  int64_t nodes_;
  uint32_t word_;
  uint64_t key_;
  RowPicker& picker_;
  std::vector<int64_t> positions_;
};

// Appends seeds to the list of their type.
class SeedLists {
 public:
  SeedLists(IdSpan times, std::vector<LinkSeeds::List>* lists) : times_(times), lists_(*lists) {}

  // The position in its list of a seed, with the time of its anchor.
  int64_t add(size_t node_type, int64_t id, int64_t anchor) {
    if (at_ >= lists_.size() || lists_[at_].node_type != node_type) {
      const auto has_type = [&](const LinkSeeds::List& list) {
        return list.node_type == node_type;
      };
      at_ = static_cast<size_t>(std::find_if(lists_.begin(), lists_.end(), has_type) -
                                lists_.begin());
      if (at_ == lists_.size()) {
        lists_.push_back({node_type, {}, {}});
      }
    }
    LinkSeeds::List& list = lists_[at_];
    list.ids.push_back(id);
    if (times_.data() != nullptr) {
      list.times.push_back(times_[anchor]);
    }
    return static_cast<int64_t>(list.ids.size()) - 1;
  }

 private:
  IdSpan times_;
  std::vector<LinkSeeds::List>& lists_;
  size_t at_ = 0;
};

AnchorSeeds::Labels place_found(const Supervision& supervision, const Found& found,
                                SeedLists* lists) {
  AnchorSeeds::Labels out = {supervision.node_type, found.width, {}};
  const auto anchors = static_cast<int64_t>(found.counts.size());
  out.places.assign(static_cast<size_t>(anchors * found.width), -1);
  size_t next = 0;
  for (int64_t i = 0; i < anchors; ++i) {
    for (int64_t j = 0; j < found.counts[static_cast<size_t>(i)]; ++j) {
      out.places[static_cast<size_t>(i * found.width + j)] =
          lists->add(supervision.node_type, found.ids[next++], i);
    }
  }
  return out;
}

// One row for each anchor, filled with -1 after its labels.
Tensor label_table(const Found& found) {
  const auto anchors = static_cast<int64_t>(found.counts.size());
  auto table = std::make_shared<std::vector<int64_t>>(static_cast<size_t>(anchors * found.width),
                                                      int64_t{-1});
  const int64_t* next = found.ids.data();
  for (int64_t i = 0; i < anchors; ++i) {
    const int64_t count = found.counts[static_cast<size_t>(i)];
    std::copy(next, next + count, table->begin() + i * found.width);
    next += count;
  }
  const int64_t* const data = table->data();
  return Tensor(std::move(table), data, kInt64, {anchors, found.width});
}

// The pairs of anchors and labels.
EdgeSet edges_to(const Supervision& supervision, const IdSpan& anchors, const Found& found) {
  const size_t count = found.ids.size();
  auto pairs = std::make_shared<std::vector<int64_t>>();
  pairs->reserve(2 * count);
  for (size_t i = 0; i < found.counts.size(); ++i) {
    pairs->insert(pairs->end(), static_cast<size_t>(found.counts[i]),
                  anchors[static_cast<int64_t>(i)]);
  }
  pairs->insert(pairs->end(), found.ids.begin(), found.ids.end());
  const int64_t* const data = pairs->data();
  return {*supervision.edge_type,
          Tensor(std::move(pairs), data, kInt64, {2, static_cast<int64_t>(count)})};
}

Result<AnchorSeeds::Labels> place_given(const Dataset& dataset, const Supervision& supervision,
                                        const Tensor& labels, SeedLists* lists) {
  GLS_TRY(check_label_ids(dataset, supervision, labels, "labels"));
  AnchorSeeds::Labels out = {supervision.node_type, labels.shape()[1], {}};
  if (out.width > Relabel::kMaxLocal / std::max<int64_t>(1, labels.rows())) {
    return too_many(supervision, labels.rows(), out.width);
  }
  out.places.assign(static_cast<size_t>(labels.rows() * out.width), -1);
  for (int64_t i = 0; i < labels.rows(); ++i) {
    const IdSpan row = label_row(labels, i);
    for (int64_t j = 0; j < out.width; ++j) {
      if (row[j] >= 0) {
        out.places[static_cast<size_t>(i * out.width + j)] =
            lists->add(supervision.node_type, row[j], i);
      }
    }
  }
  return out;
}

Result<SeedSet> anchors_of(const Dataset& dataset, const SamplerOptions& options,
                           const SampleRequest& request) {
  if (!request.links.empty()) {
    return invalid("links are given, but the sampler has supervisions, whose seeds are anchors")
        .with("argument", "links");
  }
  if (request.seeds.size() > 1) {
    return invalid("seeds: {} node types, but anchors are of one", request.seeds.size())
        .with("argument", "seeds");
  }
  const std::optional<size_t> expected = anchor_type(dataset, options);
  if (request.seeds.empty()) {
    return SeedSet{expected.value_or(0), {}, {}};
  }
  const SeedSet& seeds = request.seeds.front();
  const NodeType& type = dataset.node_types()[seeds.node_type];
  if (expected.has_value() && seeds.node_type != *expected) {
    return invalid("seeds: of type \"{}\", but anchors are of type \"{}\"", type.name,
                   dataset.node_types()[*expected].name)
        .with("argument", "seeds");
  }
  GLS_TRY(check_seed_ids(type, seeds.ids));
  GLS_TRY(check_seed_times(options, type, seeds));
  return seeds;
}

}  // namespace

Result<AnchorSeeds> seeds_of_anchors(const Dataset& dataset, const SamplerOptions& options,
                                     const SampleRequest& request, uint64_t batch_key,
                                     RowPicker& picker) {
  GLS_ASSIGN(const SeedSet anchors, anchors_of(dataset, options, request));
  AnchorSeeds out;
  out.num_anchors = anchors.ids.size();
  GLS_TRY(
      check_given_labels(options, request.labels, out.num_anchors, "labels", request.labels_found));
  SeedLists lists(anchors.times, &out.lists);
  for (int64_t i = 0; i < out.num_anchors; ++i) {
    lists.add(anchors.node_type, anchors.ids[i], i);
  }
  for (size_t s = 0; s < options.supervisions.size(); ++s) {
    const Supervision& supervision = options.supervisions[s];
    if (!supervision.edge_type.has_value() || request.labels_found) {
      GLS_ASSIGN(AnchorSeeds::Labels labels,
                 place_given(dataset, supervision, request.labels[s], &lists));
      out.labels.push_back(std::move(labels));
      continue;
    }
    GLS_ASSIGN(const Found found,
               LabelFinder(dataset, supervision, batch_key, picker).find(anchors.ids));
    out.labels.push_back(place_found(supervision, found, &lists));
    if (supervision.sampled && !found.ids.empty()) {
      out.exclude.push_back(edges_to(supervision, anchors.ids, found));
    }
  }
  return out;
}

Result<FoundLabels> find_labels(const Dataset& dataset, const SamplerOptions& options,
                                const SampleRequest& request, const HopSource& rows) {
  GLS_ASSIGN(const SeedSet anchors, anchors_of(dataset, options, request));
  const int64_t count = anchors.ids.size();
  GLS_TRY(check_given_labels(options, request.labels, count, "labels"));
  const size_t number = options.supervisions.size();
  std::vector<Deferred<HopPicks>> asked(number);
  for (size_t s = 0; s < number; ++s) {
    if (options.supervisions[s].edge_type.has_value() && count > 0) {
      HopQuestion question;
      question.edge_type = *options.supervisions[s].edge_type;
      question.epoch = request.epoch;
      question.batch = request.batch;
      question.nodes = anchors.ids;
      asked[s] = rows.ask(question);
    }
  }
  FoundLabels out;
  out.labels = request.labels;
  out.labels.resize(number);
  const uint64_t key = batch_key(options.seed, request.epoch, request.batch);
  RowPicker picker;
  for (size_t s = 0; s < number; ++s) {
    const Supervision& supervision = options.supervisions[s];
    if (!supervision.edge_type.has_value()) {
      continue;
    }
    Found found;
    found.width = supervision.max_labels;
    if (asked[s]) {
      GLS_ASSIGN(const HopPicks picks, asked[s]());
      GLS_ASSIGN(found, LabelFinder(dataset, supervision, key, picker).find(anchors.ids, picks));
    }
    out.labels[s] = label_table(found);
    if (supervision.sampled && !found.ids.empty()) {
      out.exclude.push_back(edges_to(supervision, anchors.ids, found));
    }
  }
  return out;
}

std::vector<SampledLabels> label_arrays(const SamplerOptions& options, const AnchorSeeds& seeds,
                                        const std::vector<Tensor>& local) {
  std::vector<SampledLabels> out;
  for (size_t s = 0; s < seeds.labels.size(); ++s) {
    const AnchorSeeds::Labels& labels = seeds.labels[s];
    const Supervision& supervision = options.supervisions[s];
    const Tensor& flat = local[s];
    out.push_back(
        {labels.node_type, supervision.name, supervision.negative,
         Tensor(flat.owner(), flat.data(), flat.dtype(), {seeds.num_anchors, labels.width}, false)
             .with_device(flat.device())});
  }
  return out;
}

}  // namespace gls
