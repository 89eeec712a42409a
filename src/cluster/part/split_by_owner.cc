#include "cluster/part/split_by_owner.h"

namespace gls {

Result<SplitByOwner> SplitByOwner::split(const PartitionBook& book, const IdSpan& ids,
                                         const Instead& instead) {
  SplitByOwner out;
  out.owners_.resize(static_cast<size_t>(ids.size()));
  std::vector<size_t> counts(book.parts());
  for (int64_t i = 0; i < ids.size(); ++i) {
    uint32_t owner = book[ids[i]];
    if (owner >= book.parts()) {
      return book.damaged_at(ids[i]);
    }
    owner = instead ? instead(ids[i], owner) : owner;
    out.owners_[static_cast<size_t>(i)] = static_cast<uint16_t>(owner);
    ++counts[owner];
  }
  out.shares_.resize(book.parts());
  for (size_t p = 0; p < counts.size(); ++p) {
    out.shares_[p].ids.reserve(counts[p]);
    out.shares_[p].places.reserve(counts[p]);
  }
  for (int64_t i = 0; i < ids.size(); ++i) {
    Share& share = out.shares_[out.owners_[static_cast<size_t>(i)]];
    share.ids.push_back(ids[i]);
    share.places.push_back(i);
  }
  return out;
}

std::optional<uint32_t> SplitByOwner::only_owner(const PartitionBook& book, const IdSpan& ids,
                                                 const Instead& instead) {
  std::optional<uint32_t> only;
  for (int64_t i = 0; i < ids.size(); ++i) {
    const uint32_t named = book[ids[i]];
    if (named >= book.parts()) {
      return {};
    }
    const uint32_t owner = instead ? instead(ids[i], named) : named;
    if (only.value_or(owner) != owner) {
      return {};
    }
    only = owner;
  }
  return only;
}

}  // namespace gls
