// Rows on their way out of a server's memory.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "cluster/call.h"
#include "cluster/part_windows.h"

namespace gls {

class RowReading {
 public:
  // Row number i of the window's goes to the place number places[i], or i where there are none,
  // of `out`, which `owner` owns: until nobody writes there any more.
  RowReading(const PartWindows::Readable& from, const std::vector<uint64_t>& rows, std::byte* out,
             const int64_t* places, const std::shared_ptr<const void>& owner,
             const cluster::Deadline& deadline);

  // Its outcome.
  Status wait();
  // Whether nobody writes any more, now or before the deadline.
  bool wait_until_quiet(const cluster::Deadline& deadline) const;

 private:
  struct Outcome;
  std::shared_ptr<Outcome> outcome_;
};

}  // namespace gls
