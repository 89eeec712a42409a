#include "sample/pick/row_times.h"

#include <algorithm>
#include <new>
#include <utility>

#include "sample/kernels/time_order.h"

namespace gls {
namespace {

uint64_t bytes_of_times(const RowTimes::Shape& shape) {
  const uint64_t arrays = (shape.stored.defined() ? 0 : 1) + (shape.two ? 1 : 0);
  return static_cast<uint64_t>(shape.num_edges) * (shape.wide ? 8 : 4) * arrays +
         static_cast<uint64_t>(shape.num_rows) * (1 + sizeof(const std::byte*));
}

}  // namespace

bool RowTimes::Room::take(uint64_t bytes, uint64_t most_bytes) {
  uint64_t used = used_.load();
  while (bytes <= most_bytes && used <= most_bytes - bytes) {
    if (used_.compare_exchange_weak(used, used + bytes)) {
      return true;
    }
  }
  return false;
}

Result<std::shared_ptr<RowTimes::Room>> RowTimes::room_of(const Dataset& dataset) {
  GLS_ASSIGN(
      const std::shared_ptr<const void> kept,
      dataset.keep("room of row times", 0, UINT64_MAX, []() -> Result<std::shared_ptr<const void>> {
        return std::shared_ptr<const void>(std::make_shared<Room>());
      }));
  return std::const_pointer_cast<Room>(std::static_pointer_cast<const Room>(kept));
}

// One byte even for no rows, so that memory is allocated.
RowTimes::RowTimes(int64_t num_rows) : states_(static_cast<size_t>(num_rows) + 1, false) {}

// Pages are used as rows are visited. They are small, because few of many rows may be visited.
RowTimes::RowTimes(const Shape& shape, std::shared_ptr<Context> context, std::shared_ptr<Room> room,
                   uint64_t most_bytes)
    : RowTimes(shape.num_rows) {
  const auto edges = static_cast<size_t>(shape.num_edges);
  const size_t bytes = edges * (shape.wide ? 8 : 4);
  if (!shape.stored.defined()) {
    first_block_ = PageBlock(bytes, context->huge_pages());
  }
  if (shape.two) {
    second_block_ = PageBlock(bytes, context->huge_pages());
    second_ = IdSpan(second_block_.data(), shape.wide, shape.num_edges);
  }
  orders_ = PageBlock(static_cast<size_t>(shape.num_rows) * sizeof(const std::byte*), false);
  stored_ = shape.stored;
  first_ =
      IdSpan(stored_.defined() ? stored_.data() : first_block_.data(), shape.wide, shape.num_edges);
  room_ = std::move(room);
  most_bytes_ = most_bytes;
  context_ = std::move(context);
  what_ = shape.what;
}

Result<std::shared_ptr<RowTimes>> RowTimes::of(const Dataset& dataset, const Shape& shape,
                                               uint64_t most_bytes) {
  if (most_bytes == 0 || shape.num_edges == 0) {
    return std::make_shared<RowTimes>(shape.num_rows);
  }
  GLS_ASSIGN(const std::shared_ptr<Room> room, room_of(dataset));
  const uint64_t bytes = bytes_of_times(shape);
  const auto make = [&]() -> Result<std::shared_ptr<const void>> {
    if (!room->take(bytes, most_bytes)) {
      return std::shared_ptr<const void>();
    }
    try {
      return std::shared_ptr<const void>(
          std::shared_ptr<RowTimes>(new RowTimes(shape, dataset.context(), room, most_bytes)));
    } catch (const std::bad_alloc&) {
      room->give_back(bytes);
      return std::shared_ptr<const void>();
    }
  };
  GLS_ASSIGN(const std::shared_ptr<const void> kept,
             dataset.keep("row times " + shape.key, 0, UINT64_MAX, make));
  const Log& log = dataset.context()->log();
  if (kept == nullptr) {
    log.write(GLS_LOG_INFO, "sampler",
              "times of {}, {} bytes, are not kept by row: more than sample.row_times leaves, or "
              "no memory; rows whose times do not ascend are read edge by edge",
              shape.what, bytes);
    return std::make_shared<RowTimes>(shape.num_rows);
  }
  log.write(GLS_LOG_DEBUG, "sampler", "times of {} are kept by row, {} bytes of {} for the dataset",
            shape.what, bytes, room->used());
  return std::const_pointer_cast<RowTimes>(std::static_pointer_cast<const RowTimes>(kept));
}

// NULL: no room, or no memory. Requires taken_.
std::byte* RowTimes::allocate(uint64_t bytes) const {
  constexpr uint64_t kBlock = kHugePage;
  if (left_ < bytes) {
    const uint64_t size = room_->take(std::max(bytes, kBlock), most_bytes_)
                              ? std::max(bytes, kBlock)
                              : (room_->take(bytes, most_bytes_) ? bytes : 0);
    if (size == 0) {
      return nullptr;
    }
    try {
      blocks_.emplace_back(size, context_->huge_pages());
    } catch (const std::bad_alloc&) {
      room_->give_back(size);
      return nullptr;
    }
    next_ = blocks_.back().data();
    left_ = size;
  }
  left_ -= bytes;
  return std::exchange(next_, next_ + bytes);
}

uint8_t RowTimes::put_in_order(int64_t row, int64_t begin, int64_t end) const {
  const bool finds = second_.data() == nullptr;
  const uint64_t bytes = TimeOrder::bytes_for(end - begin, first_.wide(), finds);
  std::byte* memory = nullptr;
  if (end - begin <= TimeOrder::kMostPositions) {
    if (taken_.exchange(true, std::memory_order_acquire)) {
      return kMixed;
    }
    memory = allocate(bytes);
    taken_.store(false, std::memory_order_release);
  }
  if (memory == nullptr) {
    if (!said_full_.exchange(true)) {
      context_->log().write(GLS_LOG_INFO, "sampler",
                            "row {} of {}, {} edges whose times do not ascend, is not kept in "
                            "order, {} bytes: more than sample.row_times leaves, or no memory; "
                            "such rows are scanned",
                            row, what_, end - begin, bytes);
    }
    return kUnordered;
  }
  try {
    TimeOrder::make(first_.part(begin, end - begin), finds, memory);
  } catch (const std::bad_alloc&) {
    return kUnordered;
  }
  orders()[row] = memory;
  return kOrdered;
}

void RowTimes::ask_for(int64_t row) const {
  __builtin_prefetch(states_.data() + row);
  if (has_times()) {
    __builtin_prefetch(static_cast<const void*>(orders() + row));
  }
}

void RowTimes::ask_for_times(int64_t row, int64_t begin, int64_t end) const {
  const auto ask = [this](int64_t position) {
    __builtin_prefetch(first_.part(position, 1).data());
  };
  const uint8_t known = state(row);
  if (!has_times()) {
    return;
  }
  if (known == kOrdered) {
    TimeOrder::ask_for(order(row));
  } else if (known == kAscending) {
    const int64_t quarter = (end - begin) / 4;
    ask(begin + quarter);
    ask(begin + 2 * quarter);
    ask(begin + 3 * quarter);
  } else {
    constexpr int64_t kAsked = 1024;
    for (int64_t at = begin; at < std::min(end, begin + kAsked); at += first_.wide() ? 8 : 16) {
      ask(at);
    }
  }
}

void RowTimes::ask_for_entries(int64_t row, int64_t begin, int64_t end, int64_t low,
                               int64_t high) const {
  constexpr int64_t kMostAsked = 4096;
  const uint8_t known = state(row);
  if (!has_times() || begin == end) {
    return;
  }
  if (known == kOrdered) {
    TimeOrder(order(row)).ask_for_range(low, high);
  } else if (known == kAscending && end - begin <= kMostAsked) {
    // The entries that a bisection reads after the quarters.
    const int64_t quarter = (end - begin) / 4;
    int64_t from = begin;
    for (int64_t i = 1; i < 4; ++i) {
      from = first_[begin + i * quarter] <= high ? begin + i * quarter : from;
    }
    const int64_t last = std::min(end, from + quarter);
    for (int64_t at = from; at < last; at += first_.wide() ? 8 : 16) {
      __builtin_prefetch(first_.part(at, 1).data());
    }
  }
}

}  // namespace gls
