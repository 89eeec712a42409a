#include "loader/seeds/seed_sets.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace gls {
namespace {

// What takes seeds of one type only; NULL: the sampler takes several.
const char* single_type_of(const SamplerOptions& options) {
  return options.walk.has_value()         ? "walks"
         : options.importance.has_value() ? "importance neighbours"
         : options.ppr.has_value()        ? "personalised PageRank"
         : !options.supervisions.empty()  ? "anchors"
                                          : nullptr;
}

Status check_several(const Sampler& sampler, const std::vector<SeedList::Given>& given) {
  if (const char* const kind = single_type_of(sampler.options()); kind != nullptr) {
    return invalid("seed_sets: {} types of seeds, but {} begin at nodes of one type", given.size(),
                   kind)
        .with("argument", "seed_sets");
  }
  const Dataset& dataset = *sampler.dataset();
  for (size_t i = 1; i < given.size(); ++i) {
    if (given[i].links != given[0].links) {
      return invalid("seed_sets: some are nodes and some are links, expected one of the two")
          .with("argument", "seed_sets");
    }
    if (given[i].type == given[i - 1].type) {
      return invalid("seed_sets: type \"{}\" is given twice",
                     given[i].links ? dataset.edge_types()[given[i].type].joined
                                    : dataset.node_types()[given[i].type].name)
          .with("argument", "seed_sets");
    }
  }
  return {};
}

}  // namespace

Result<SeedSets> SeedSets::create(const Sampler& sampler, std::vector<SeedList::Given> given) {
  std::sort(given.begin(), given.end(), [](const SeedList::Given& a, const SeedList::Given& b) {
    return std::pair(a.links, a.type) < std::pair(b.links, b.type);
  });
  if (given.size() > 1) {
    GLS_TRY(check_several(sampler, given));
  }
  SeedSets out;
  out.begins_.push_back(0);
  for (SeedList::Given& one : given) {
    GLS_ASSIGN(SeedList list, SeedList::create(sampler, std::move(one)));
    out.begins_.push_back(out.begins_.back() + list.size());
    out.sets_.push_back(std::move(list));
  }
  return out;
}

std::string SeedSets::type_names() const {
  std::string out = of_links() ? "links " : "";
  for (size_t s = 0; s < sets_.size(); ++s) {
    out += (s > 0 ? "\n" : "") + sets_[s].type_name();
  }
  return out;
}

std::string SeedSets::checksum() const {
  std::string out;
  for (size_t s = 0; s < sets_.size(); ++s) {
    out += (s > 0 ? ", " : "") + sets_[s].checksum();
  }
  return out;
}

void SeedSets::choose(std::span<const int64_t> positions, BufferPool& pool, Chosen* chosen,
                      SampleRequest* request, std::vector<SampledInput>* inputs) const {
  chosen->resize(sets_.size());
  for (size_t s = 0; s < sets_.size(); ++s) {
    const auto in_set = [begin = begins_[s], end = begins_[s + 1]](int64_t position) {
      return position >= begin && position < end;
    };
    const auto count = std::count_if(positions.begin(), positions.end(), in_set);
    auto buffer = std::make_shared<Buffer>(pool.acquire(static_cast<size_t>(count) * 8));
    auto* const own = buffer->as<int64_t>();
    int64_t at = 0;
    for (const int64_t position : positions) {
      if (in_set(position)) {
        own[at++] = position - begins_[s];
      }
    }
    sets_[s].choose(std::span<const int64_t>(own, static_cast<size_t>(count)), &(*chosen)[s],
                    request);
    inputs->push_back({sets_[s].type(), Tensor(std::move(buffer), own, kInt64, {count}, false)});
  }
}

}  // namespace gls
