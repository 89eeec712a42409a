#include "loader/seeds/seed_list.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

#include "base/checksum.h"
#include "sample/links/links.h"
#include "sample/neighbor/anchors.h"

namespace gls {

Result<SeedList> SeedList::create(const Sampler& sampler, Given given) {
  const Dataset& dataset = *sampler.dataset();
  SeedList out;
  out.given_ = std::move(given);
  out.timed_ = sampler.options().temporal();
  if (out.given_.links) {
    const EdgeType& type = dataset.edge_types()[out.given_.type];
    out.type_name_ = &type.joined;
    out.limit_ = type.count;
  } else {
    const NodeType& type = dataset.node_types()[out.given_.type];
    out.type_name_ = &type.name;
    out.limit_ = type.count;
  }
  GLS_TRY(out.check_kind(sampler));
  if (!out.given_.links) {
    GLS_TRY(check_node_seeds(sampler.options()));
  }
  GLS_TRY(out.check_ids(dataset));
  out.size_ = !out.given_.ids.defined() ? out.limit_
              : out.pairs()             ? out.given_.ids.shape()[1]
                                        : out.given_.ids.rows();
  GLS_TRY(out.check_times(sampler));
  GLS_TRY(out.check_anchors(sampler));
  const Tensor& labels = out.given_.labels;
  if (labels.defined() && !out.given_.links) {
    return invalid("labels are given, but the seeds are nodes; gather a column instead")
        .with("argument", "labels");
  }
  if (labels.defined() && labels.rows() != out.size_) {
    return invalid("labels: shape {} for {} links, expected one row each",
                   shape_text(labels.shape()), out.size_)
        .with("argument", "labels");
  }
  if (out.given_.links && !out.pairs()) {
    GLS_TRY(need_ends(dataset.edge_types()[out.given_.type],
                      out.given_.ids.defined() ? "seeds" : "edge_type"));
  }
  if (out.given_.links && !out.pairs() && dataset.topology_source() == nullptr) {
    // Builds the index of ids now, and not during the first batch.
    const EdgeType& type = dataset.edge_types()[out.given_.type];
    GLS_ASSIGN(const Tensor positions,
               dataset.edge_positions(out.given_.type, type.csc ? Layout::kCsc : Layout::kCsr));
    static_cast<void>(positions);
  }
  if (out.given_.links && sampler.options().negatives.mode != NegativeMode::kNone) {
    // Reports a column that does not fit now, and not for every batch.
    GLS_ASSIGN(const auto negatives, sampler.negatives(out.given_.type));
    static_cast<void>(negatives);
  }
  return out;
}

// Checks that the sampling method accepts seeds of this type.
Status SeedList::check_kind(const Sampler& sampler) const {
  const bool walks = sampler.walk_plan().has_value();
  if (given_.links &&
      (walks || sampler.options().ppr.has_value() || sampler.options().hgt.has_value())) {
    return invalid("edge_type is \"{}\", but this kind of sampler begins at nodes", *type_name_)
        .with("argument", "edge_type");
  }
  if (!walks) {
    return {};
  }
  const size_t expected = sampler.walk_plan()->node_type();
  if (given_.type != expected) {
    return invalid("node_type is \"{}\", but walks begin at type \"{}\"", *type_name_,
                   sampler.dataset()->node_types()[expected].name)
        .with("argument", "node_type");
  }
  return {};
}

// Checks anchors: with supervisions, every seed is one.
Status SeedList::check_anchors(const Sampler& sampler) const {
  const Dataset& dataset = *sampler.dataset();
  const SamplerOptions& options = sampler.options();
  if (given_.links && !options.supervisions.empty()) {
    return invalid("edge_type is \"{}\", but the sampler has supervisions, whose seeds are nodes",
                   *type_name_)
        .with("argument", "edge_type");
  }
  const size_t expected = anchor_type(dataset, options).value_or(given_.type);
  if (!given_.links && given_.type != expected) {
    return invalid("node_type is \"{}\", but anchors are of type \"{}\"", *type_name_,
                   dataset.node_types()[expected].name)
        .with("argument", "node_type");
  }
  GLS_TRY(check_given_labels(options, given_.anchor_labels, size_, "anchor_labels"));
  for (size_t s = 0; s < given_.anchor_labels.size(); ++s) {
    GLS_TRY(check_label_ids(dataset, options.supervisions[s], given_.anchor_labels[s],
                            "anchor_labels"));
  }
  return {};
}

void SeedList::choose_labels(std::span<const int64_t> positions, Chosen* chosen,
                             SampleRequest* request) const {
  chosen->anchor_labels.resize(given_.anchor_labels.size());
  request->labels.resize(given_.anchor_labels.size());
  for (size_t s = 0; s < given_.anchor_labels.size(); ++s) {
    const Tensor& labels = given_.anchor_labels[s];
    if (!labels.defined()) {
      continue;
    }
    std::vector<int64_t>& rows = chosen->anchor_labels[s];
    for (const int64_t position : positions) {
      const IdSpan row = label_row(labels, position);
      for (int64_t j = 0; j < row.size(); ++j) {
        rows.push_back(row[j]);
      }
    }
    request->labels[s] = Tensor(nullptr, rows.data(), kInt64,
                                {static_cast<int64_t>(positions.size()), labels.shape()[1]});
  }
}

IdSpan SeedList::row(int64_t index) const {
  const Tensor& ids = given_.ids;
  return {ids.data() + index * (pairs() ? ids.row_stride() : 0), same_dtype(ids.dtype(), kInt64),
          pairs() ? ids.shape()[1] : ids.rows()};
}

Status SeedList::check_ids(const Dataset& dataset) const {
  if (!given_.ids.defined()) {
    return {};
  }
  if (!given_.links) {
    GLS_ASSIGN(const IdSpan ids, IdSpan::of(given_.ids, "seeds"));
    if (const int64_t bad = ids.find_outside(limit_); bad >= 0) {
      return invalid("seeds: node {} at index {} is outside 0 .. {} of type \"{}\"", ids[bad], bad,
                     limit_ - 1, *type_name_)
          .with("argument", "seeds");
    }
    return {};
  }
  const std::vector<int64_t>& shape = given_.ids.shape();
  if (shape.size() != 1 && (shape.size() != 2 || shape[0] != 2)) {
    return invalid("seeds: links of shape {}, expected [n] edge ids or [2, n] sources and targets",
                   shape_text(shape))
        .with("argument", "seeds");
  }
  if (!pairs()) {
    GLS_ASSIGN(const IdSpan ids, IdSpan::of(given_.ids, "seeds"));
    if (const int64_t bad = ids.find_outside(limit_); bad >= 0) {
      return invalid("seeds: edge id {} at index {} is outside 0 .. {} of type \"{}\"", ids[bad],
                     bad, limit_ - 1, *type_name_)
          .with("argument", "seeds");
    }
    return {};
  }
  const Tensor flat(nullptr, given_.ids.data(), given_.ids.dtype(), {given_.ids.shape()[1]});
  GLS_ASSIGN(const IdSpan first, IdSpan::of(flat, "seeds"));
  const EdgeType& type = dataset.edge_types()[given_.type];
  for (const int64_t end : {0, 1}) {
    const int64_t nodes = dataset.node_types()[end == 0 ? type.source : type.target].count;
    const IdSpan ids = end == 0 ? first : row(end);
    if (const int64_t bad = ids.find_outside(nodes); bad >= 0) {
      return invalid("seeds: {} {} at index {} is outside 0 .. {} of edge type \"{}\"",
                     end == 0 ? "source" : "target", ids[bad], bad, nodes - 1, *type_name_)
          .with("argument", "seeds");
    }
  }
  return {};
}

Status SeedList::check_times(const Sampler& sampler) {
  const Tensor& times = given_.times;
  if (times.defined()) {
    if (!timed_) {
      return invalid("times are given, but the sampler has neither node_time nor edge_time")
          .with("argument", "times");
    }
    GLS_ASSIGN(const IdSpan ids, IdSpan::of(times, "times"));
    if (ids.size() != size_) {
      return invalid("times: {} for {} seeds, expected one each", ids.size(), size_)
          .with("argument", "times");
    }
    return {};
  }
  if (!timed_) {
    return {};
  }
  const std::string& name = sampler.options().node_time;
  const Column* column = given_.links || name.empty()
                             ? nullptr
                             : sampler.dataset()->node_types()[given_.type].find_column(name);
  if (column == nullptr) {
    return invalid(
               "times: none are given, and {} of type \"{}\" have none of their own in a "
               "column node_time",
               given_.links ? "links" : "nodes", *type_name_)
        .with("argument", "times");
  }
  if (const auto& source = sampler.dataset()->source(); source != nullptr && !column->is_local()) {
    return fetch_times(*source, *sampler.dataset(), *column);
  }
  own_times_ = IntegerColumn(column->data);
  return {};
}

// Fetches the times of all seeds once, because each batch needs some before it can ask for anything
// else.
Status SeedList::fetch_times(const GraphSource& source, const Dataset& dataset,
                             const Column& column) {
  std::vector<int64_t> all(given_.ids.defined() ? 0 : static_cast<size_t>(size_));
  std::iota(all.begin(), all.end(), int64_t{0});
  const IdSpan ids = given_.ids.defined() ? row(0) : IdSpan(all.data(), true, size_);
  const std::vector<Column>& columns = dataset.node_types()[given_.type].columns;
  const auto number = static_cast<size_t>(&column - columns.data());
  GLS_ASSIGN(Tensor times, source.ask_rows({true, given_.type, number, ids, column.dtype(), true},
                                           size_, nullptr)());
  times_by_seed_ = IntegerColumn(std::move(times));
  return {};
}

namespace {

// Adds ids at full width; `ascending` stays true while they are 0, 1, 2, ...
void add_ids(const IdSpan& ids, Checksum* sum, bool* ascending) {
  std::vector<int64_t> wide(4096);
  for (int64_t begin = 0; begin < ids.size(); begin += 4096) {
    const int64_t count = std::min<int64_t>(4096, ids.size() - begin);
    for (int64_t i = 0; i < count; ++i) {
      wide[static_cast<size_t>(i)] = ids[begin + i];
      *ascending = *ascending && ids[begin + i] == begin + i;
    }
    sum->update(std::as_bytes(std::span(wide).first(static_cast<size_t>(count))));
  }
}

}  // namespace

std::string SeedList::checksum() const {
  Checksum sum;
  bool all = !pairs() && size_ == limit_;
  for (int64_t r = 0; given_.ids.defined() && r < (pairs() ? 2 : 1); ++r) {
    add_ids(row(r), &sum, &all);
  }
  // All ids of the type in order have the same checksum, given or not.
  std::string text = all ? "all" : hex64(sum.digest());
  if (given_.times.defined()) {
    Checksum of_times;
    bool unused = false;
    add_ids(IdSpan(given_.times.data(), same_dtype(given_.times.dtype(), kInt64), size_), &of_times,
            &unused);
    text += " at " + hex64(of_times.digest());
  }
  return text;
}

std::vector<int64_t> SeedList::label_widths() const {
  std::vector<int64_t> out;
  out.reserve(given_.anchor_labels.size());
  for (const Tensor& labels : given_.anchor_labels) {
    out.push_back(labels.defined() ? labels.shape()[1] : 0);
  }
  return out;
}

void SeedList::choose(std::span<const int64_t> positions, Chosen* chosen,
                      SampleRequest* request) const {
  const auto count = static_cast<int64_t>(positions.size());
  for (int64_t r = 0; r < (pairs() ? 2 : 1); ++r) {
    const IdSpan ids = given_.ids.defined() ? row(r) : IdSpan();
    for (const int64_t position : positions) {
      chosen->ids.push_back(given_.ids.defined() ? ids[position] : position);
    }
  }
  if (timed_) {
    const IdSpan times =
        given_.times.defined()
            ? IdSpan(given_.times.data(), same_dtype(given_.times.dtype(), kInt64), size_)
            : IdSpan();
    for (size_t i = 0; i < positions.size(); ++i) {
      if (times_by_seed_.defined()) {
        chosen->times.push_back(times_by_seed_[positions[i]]);
        continue;
      }
      const int64_t id = chosen->ids[i];
      const bool own = !given_.times.defined();
      // The sampler refuses ids that changed after the check.
      const bool known = own && id >= 0 && id < own_times_.rows();
      chosen->times.push_back(own ? (known ? own_times_[id] : 0) : times[positions[i]]);
    }
  }
  const IdSpan times =
      timed_ ? IdSpan(chosen->times.data(), true, static_cast<int64_t>(chosen->times.size()))
             : IdSpan();
  if (!given_.links) {
    request->seeds.push_back({given_.type, IdSpan(chosen->ids.data(), true, count), times});
    choose_labels(positions, chosen, request);
    return;
  }
  LinkSet& links = request->links.emplace_back();
  links.edge_type = given_.type;
  links.links = Tensor(nullptr, chosen->ids.data(), kInt64,
                       pairs() ? std::vector<int64_t>{2, count} : std::vector<int64_t>{count});
  links.times = times;
  if (given_.labels.defined()) {
    const auto bytes = static_cast<size_t>(given_.labels.row_bytes());
    chosen->labels.resize(bytes * positions.size());
    for (size_t i = 0; bytes > 0 && i < positions.size(); ++i) {
      std::memcpy(chosen->labels.data() + i * bytes,
                  given_.labels.data() + positions[i] * given_.labels.row_stride(), bytes);
    }
    std::vector<int64_t> shape = given_.labels.shape();
    shape[0] = count;
    links.labels = Tensor(nullptr, chosen->labels.data(), given_.labels.dtype(), std::move(shape));
  }
}

}  // namespace gls
