#include "graph/partition/partition_book_index.h"

#include <algorithm>

namespace gls {
namespace {

// Counts take a sixteenth of a byte for each id, unless scanning a block would then take over half
// a microsecond.
constexpr int64_t kShortestBlock = 512;
constexpr int64_t kLongestBlock = 32768;
constexpr int64_t kIdsPerCount = 128;

template <typename T>
int64_t count_of(const Tensor& owners, int64_t begin, int64_t end, uint32_t part) {
  const T* const data = owners.as<T>();
  return std::count(data + begin, data + end, static_cast<T>(part));
}

}  // namespace

Result<PartitionBookIndex> PartitionBookIndex::make(const PartitionBook& book) {
  PartitionBookIndex out;
  out.book_ = book;
  const uint32_t parts = book.parts();
  out.owned_.resize(parts);
  if (book.ranges()) {
    GLS_TRY(book.check(book.tensor().file()));
    const auto* const ends = book.tensor().as<int64_t>();
    for (uint32_t p = 0; p < parts; ++p) {
      out.owned_[p] = ends[p + 1] - ends[p];
    }
    return out;
  }
  out.block_ = std::clamp(int64_t{parts} * kIdsPerCount, kShortestBlock, kLongestBlock);
  out.before_.reserve(static_cast<size_t>((book.count() / out.block_ + 1) * int64_t{parts}));
  for (int64_t id = 0; id < book.count(); ++id) {
    if (id % out.block_ == 0) {
      out.before_.insert(out.before_.end(), out.owned_.begin(), out.owned_.end());
    }
    const uint32_t owner = book[id];
    if (owner >= parts) {
      return corrupt("{}: the owner of id {} is {}, expected a number below {}",
                     book.tensor().file(), id, owner, parts)
          .with("file", book.tensor().file());
    }
    ++out.owned_[owner];
  }
  return out;
}

int64_t PartitionBookIndex::rank(int64_t id) const {
  const uint32_t owner = book_[id];
  const Tensor& owners = book_.tensor();
  if (book_.ranges()) {
    return id - owners.as<int64_t>()[owner];
  }
  const int64_t block = id / block_;
  const int64_t before =
      before_[static_cast<size_t>(block * int64_t{book_.parts()} + int64_t{owner})];
  const int64_t begin = block * block_;
  return before + (same_dtype(owners.dtype(), kUint8)
                       ? count_of<uint8_t>(owners, begin, id, owner)
                       : count_of<uint16_t>(owners, begin, id, owner));
}

}  // namespace gls
