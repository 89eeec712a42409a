// Row numbers, ascending and without repeats, in few bytes each. Many lists are visited at once, in
// the order of rows.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "storage/spill_memory.h"

namespace gls {

class RowList {
 public:
  RowList() = default;
  // Throws std::bad_alloc, as every function that adds rows.
  explicit RowList(std::span<const int64_t> rows) {
    for (const int64_t row : rows) {
      add(static_cast<uint64_t>(row));
    }
  }
  RowList(RowList&&) = default;
  RowList& operator=(RowList&&) = default;

  size_t size() const { return size_; }
  // The row must exceed all rows of the list.
  void add(uint64_t row) {
    uint64_t ahead = row - last_;
    last_ = row;
    for (; ahead >= kMore; ahead >>= kBits) {
      own_.push_back(static_cast<uint8_t>(ahead | kMore));
    }
    own_.push_back(static_cast<uint8_t>(ahead));
    data_ = own_.data();
    ++size_;
  }
  // Moves the rows to other memory, which must outlive the list. No row may be added afterwards.
  void move_to(SpillMemory& memory) {
    const std::span<uint8_t> to = memory.take<uint8_t>(own_.size());
    std::copy(own_.begin(), own_.end(), to.begin());
    data_ = to.data();
    own_ = {};
  }

  // The same rows. After move_to() alone, whose memory must outlive the view, too.
  RowList view() const {
    RowList out;
    out.data_ = data_;
    out.size_ = size_;
    out.last_ = last_;
    return out;
  }

  // Visits the rows once, in parts. The list must not change meanwhile.
  class Cursor {
   public:
    explicit Cursor(const RowList& list) : at_(list.data_), left_(list.size_) {
      if (left_ > 0) {
        step();
      }
    }
    // Calls visit(row) for the rows below `limit` that were not visited.
    template <typename Visit>
    void take_below(uint64_t limit, Visit visit) {
      while (left_ > 0 && row_ < limit) {
        visit(row_);
        if (--left_ > 0) {
          step();
        }
      }
    }

   private:
    void step() {
      uint64_t ahead = 0;
      int shift = 0;
      for (; (*at_ & kMore) != 0; shift += kBits) {
        ahead |= static_cast<uint64_t>(*at_++ & (kMore - 1)) << shift;
      }
      row_ += ahead | static_cast<uint64_t>(*at_++) << shift;
    }

    const uint8_t* at_;
    size_t left_;
    uint64_t row_ = 0;
  };

 private:
  // The distance from row to row, 7 bits in a byte, the lowest first.
  static constexpr uint8_t kMore = 0x80;
  static constexpr int kBits = 7;
  std::vector<uint8_t> own_;
  const uint8_t* data_ = nullptr;  // in own_, or in other memory
  size_t size_ = 0;
  uint64_t last_ = 0;
};

// Throws std::bad_alloc.
inline std::vector<const RowList*> pointers_to(std::span<const RowList> lists) {
  std::vector<const RowList*> out;
  out.reserve(lists.size());
  for (const RowList& list : lists) {
    out.push_back(&list);
  }
  return out;
}

// Calls visit(row, numbers of the lists that have it) for every row of the lists, in ascending
// order. The numbers ascend. Rows are below `num_rows`. Takes time for the rows of the lists, and
// for num_rows / 2^16 x lists. Throws std::bad_alloc.
template <typename Visit>
void visit_rows(std::span<const RowList* const> lists, uint64_t num_rows, Visit visit) {
  // Ranges of rows, each sorted by counting in the fastest caches. Ranges with few rows are sorted
  // by comparison.
  constexpr uint64_t kUsesOfRange = uint64_t{1} << 15;
  constexpr uint64_t kCounted = uint64_t{1} << 16;
  struct Use {
    uint32_t place;  // in the range
    uint32_t list;
  };
  uint64_t uses = 0;
  std::vector<RowList::Cursor> cursors;
  cursors.reserve(lists.size());
  for (const RowList* const list : lists) {
    cursors.emplace_back(*list);
    uses += list->size();
  }
  if (uses == 0) {
    return;
  }
  const uint64_t width =
      std::clamp<uint64_t>(num_rows / (uses / kUsesOfRange + 1) + 1, 1024, uint64_t{1} << 31);
  std::vector<Use> found;
  std::vector<uint32_t> sorted;
  std::vector<uint32_t> ends;
  for (uint64_t begin = 0; begin < num_rows; begin += width) {
    found.clear();
    for (size_t i = 0; i < cursors.size(); ++i) {
      cursors[i].take_below(begin + width, [&](uint64_t row) {
        found.push_back({static_cast<uint32_t>(row - begin), static_cast<uint32_t>(i)});
      });
    }
    if (found.empty()) {
      continue;
    }
    sorted.resize(found.size());
    if (width <= kCounted) {
      ends.assign(width + 1, 0);
      for (const Use& use : found) {
        ++ends[use.place + 1];
      }
      for (size_t place = 1; place <= width; ++place) {
        ends[place] += ends[place - 1];
      }
      for (const Use& use : found) {
        sorted[ends[use.place]++] = use.list;
      }
      uint32_t from = 0;
      for (uint64_t place = 0; place < width; ++place) {
        if (ends[place] > from) {
          visit(begin + place, std::span(sorted).subspan(from, ends[place] - from));
          from = ends[place];
        }
      }
    } else {
      std::sort(found.begin(), found.end(), [](const Use& a, const Use& b) {
        return a.place != b.place ? a.place < b.place : a.list < b.list;
      });
      for (size_t from = 0, to = 0; from < found.size(); from = to) {
        while (to < found.size() && found[to].place == found[from].place) {
          sorted[to] = found[to].list;
          ++to;
        }
        visit(begin + found[from].place, std::span(sorted).subspan(from, to - from));
      }
    }
  }
}

}  // namespace gls
