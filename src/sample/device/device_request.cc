#include "sample/device/device_request.h"

#include <utility>

#include "base/float_mode.h"
#include "base/philox.h"
#include "sample/neighbor/request_seeds.h"
#include "sample/pick/labor.h"

namespace gls {

Result<DeviceRequest> DeviceRequest::of(const Sampler& sampler, const SampleRequest& request,
                                        const DeviceDrawing& drawing) {
  DeviceRequest out(sampler, request);
  out.key_ = batch_key(sampler.options().seed, request.epoch, request.batch);
  if (sampler.options().hgt.has_value()) {
    out.hgt_key_ = hgt_key(sampler.options().seed, request.epoch, request.batch);
  }
  if (sampler.options().pick == Pick::kLayer) {
    out.numbers_ = LaborKeys(sampler.options(), request.epoch, request.batch).keys();
  }
  Status found = out.find_seeds(drawing);
  if (found.ok()) {
    found = out.find_filters();
  }
  if (!found.ok() && out.drawn_.has_value()) {
    // Replaces the error that drawing on the host would have found first.
    const DefaultFloatMode float_mode;
    GLS_ASSIGN(const DrawnNegatives unused,
               out.negatives_->on_host().draw(out.key_, out.link_sources()));
    static_cast<void>(unused);
  }
  GLS_TRY(std::move(found));
  return out;
}

Status DeviceRequest::find_seeds(const DeviceDrawing& drawing) {
  std::vector<std::vector<int64_t>> memory;
  GLS_ASSIGN(const std::optional<std::vector<SeedSet>> nodes,
             sampler_->method().node_seeds(*request_, &memory));
  if (nodes.has_value()) {
    for (const SeedSet& set : *nodes) {
      GLS_TRY(add_seeds(set));
    }
    return {};
  }
  if (!sampler_->options().supervisions.empty()) {
    RowPicker picker;
    GLS_ASSIGN(anchors_, seeds_of_anchors(*sampler_->dataset(), sampler_->options(), *request_,
                                          key_, picker));
    for (const LinkSeeds::List& list : anchors_->lists) {
      GLS_TRY(add_seeds(seed_set(list, sampler_->options().temporal())));
    }
    for (const AnchorSeeds::Labels& labels : anchors_->labels) {
      add_places(labels.node_type, labels.places);
    }
    return {};
  }
  if (!request_->links.empty()) {
    return find_links(drawing);
  }
  for (const SeedSet& set : request_->seeds) {
    GLS_TRY(add_seeds(set));
  }
  return {};
}

Status DeviceRequest::find_links(const DeviceDrawing& drawing) {
  const DefaultFloatMode float_mode;  // of the weights that negatives are drawn by
  GLS_ASSIGN(links_, find_link_seeds(sampler_->plan(), *request_,
                                     [&](const NegativeSampler& on_host, const LinkSet& links,
                                         std::span<const int64_t> sources) {
                                       return draw(on_host, links, sources, drawing);
                                     }));
  for (const LinkSeeds::List& list : links_.lists) {
    GLS_TRY(add_seeds(seed_set(list, links_.timed())));
  }
  for (const LinkSeeds& set : links_.sets) {
    add_places(set.source_type, set.source);
    add_places(set.target_type, set.target);
    add_places(set.target_type, set.negative);
  }
  if (drawn_.has_value()) {
    const LinkSeeds& only = links_.sets.front();
    const auto links = static_cast<size_t>(only.num_links);
    const bool pairs = only.negative.empty();
    const size_t before = links_.lists.size() == 1 ? 0 : links_.lists.front().ids.size();
    first_source_ = pairs ? only.source[links] : 0;
    first_target_ = static_cast<int64_t>(before) + (pairs ? only.target[links] : only.negative[0]);
  }
  return {};
}

// If every negative will be found, or is an error, the positions are known before drawing. The
// negatives are then drawn when the positions are on the device. The host draws those of several
// edge types, and negatives in time.
Result<DrawnNegatives> DeviceRequest::draw(const NegativeSampler& on_host, const LinkSet& links,
                                           std::span<const int64_t> sources,
                                           const DeviceDrawing& drawing) {
  if (sources.empty() || on_host.in_time() || !on_host.possible() || request_->links.size() > 1) {
    return on_host.draw(key_, sources, links.times);
  }
  GLS_ASSIGN(negatives_, drawing.negatives(links.edge_type));
  if (negatives_ == nullptr) {
    return on_host.draw(key_, sources);
  }
  const device::NegativesWork work = negatives_->work(key_, static_cast<int64_t>(sources.size()));
  if (work.edges != nullptr && sampler_->options().negatives.allow_short) {
    return drawing.ahead(work, sources);
  }
  drawn_ = work;
  const auto count = static_cast<size_t>(work.count);
  return DrawnNegatives{std::vector<int64_t>(work.draws.each == 0 ? count : 0),
                        std::vector<int64_t>(count)};
}

std::span<const int64_t> DeviceRequest::link_sources() const {
  return std::span(links_.lists.front().ids)
      .first(static_cast<size_t>(links_.sets.front().num_links));
}

Status DeviceRequest::no_negative(int64_t number) const {
  return negatives_->on_host().none_found(number, link_sources());
}

void DeviceRequest::add_places(size_t node_type, const std::vector<int64_t>& places) {
  places_.push_back(
      {static_cast<uint32_t>(node_type), places.data(), static_cast<int64_t>(places.size())});
}

Status DeviceRequest::add_seeds(const SeedSet& set) {
  const NodeType& type = sampler_->dataset()->node_types()[set.node_type];
  GLS_TRY(check_seed_ids(type, set.ids));
  GLS_TRY(check_seed_times(sampler_->options(), type, set));
  std::vector<int64_t>& list = ids_.emplace_back(static_cast<size_t>(set.ids.size()));
  for (int64_t i = 0; i < set.ids.size(); ++i) {
    list[static_cast<size_t>(i)] = set.ids[i];
  }
  for (int64_t i = 0; i < set.times.size(); ++i) {
    times_.push_back(set.times[i]);
  }
  seeds_.push_back({static_cast<uint32_t>(set.node_type), list.data(), set.ids.size()});
  return {};
}

Status DeviceRequest::find_filters() {
  std::vector<EdgeSet> sets = edges_excluded(sampler_->options(), *request_);
  if (anchors_.has_value()) {
    sets.insert(sets.end(), anchors_->exclude.begin(), anchors_->exclude.end());
  }
  if (sets.empty()) {
    return {};
  }
  const Dataset& dataset = *sampler_->dataset();
  GLS_ASSIGN(excluded_, find_excluded(dataset, sampler_->options(), sets));
  const Layout layout =
      sampler_->options().direction == Direction::kIn ? Layout::kCsc : Layout::kCsr;
  for (size_t t = 0; t < excluded_.size(); ++t) {
    if (!excluded_[t].empty()) {
      excluded_[t] = excluded_[t].without(sampler_->plan().excluded()[t],
                                          *dataset.edge_types()[t].topology(layout));
    }
    filters_.push_back(excluded_[t].view());
  }
  return {};
}

device::SampleWork DeviceRequest::work() const {
  return {key_,
          seeds_.data(),
          seeds_.size(),
          places_.data(),
          places_.size(),
          filters_.empty() ? nullptr : filters_.data(),
          times_.data(),
          numbers_,
          {drawn_.has_value() ? &*drawn_ : nullptr, first_source_, first_target_},
          hgt_key_};
}

// By node type: the times of the last list that has any seeds.
std::vector<Tensor> DeviceRequest::seed_times() const {
  std::vector<Tensor> out(sampler_->dataset()->node_types().size(),
                          Tensor(nullptr, nullptr, kInt64, {0}, false));
  int64_t at = 0;
  for (const device::SeedsOfType& list : seeds_) {
    if (list.count > 0) {
      auto times = std::make_shared<std::vector<int64_t>>(times_.begin() + at,
                                                          times_.begin() + at + list.count);
      const int64_t* const data = times->data();
      out[list.node_type] = Tensor(std::move(times), data, kInt64, {list.count}, false);
    }
    at += list.count;
  }
  return out;
}

void DeviceRequest::complete(const std::vector<Tensor>& at_places, Batch* batch) const {
  if (sampler_->options().temporal()) {
    std::vector<Tensor> times = seed_times();
    for (size_t t = 0; t < times.size(); ++t) {
      batch->nodes[t].seed_time = std::move(times[t]);
    }
  }
  for (size_t i = 0; i < links_.sets.size(); ++i) {
    const size_t first = 3 * i;
    batch->links.push_back(
        link_arrays(request_->links[i], links_.sets[i], sampler_->options().negatives.mode,
                    {at_places[first], at_places[first + 1], at_places[first + 2]},
                    *batch->dataset->context()->buffers()));
  }
  if (anchors_.has_value()) {
    batch->labels = label_arrays(sampler_->options(), *anchors_, at_places);
  }
}

}  // namespace gls
