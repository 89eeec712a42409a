// Sorts large arrays on the threads of a pool.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "context/parallel.h"

namespace gls {

// Sorts `items` by `less`, a strict weak order without ties, so that the result does not depend on
// the threads. Needs as much memory again as the items.
template <typename T, typename Less>
Status parallel_sort(ThreadPool& pool, std::vector<T>* items, const Less& less) {
  constexpr size_t kLeast = size_t{1} << 15;
  const size_t size = items->size();
  size_t runs = 1;
  while (runs < size_t{pool.size()} + 1 && size / (2 * runs) >= kLeast) {
    runs *= 2;
  }
  const auto at = [&](std::vector<T>& data, size_t run) {
    return data.begin() + static_cast<std::ptrdiff_t>(size * run / runs);
  };
  const auto sort = [&](size_t begin, size_t end) -> Status {
    for (size_t run = begin; run < end; ++run) {
      std::sort(at(*items, run), at(*items, run + 1), less);
    }
    return {};
  };
  GLS_TRY(parallel_try(pool, runs, 1, sort));
  std::vector<T> other(runs > 1 ? size : 0);
  for (size_t width = 1; width < runs; width *= 2) {
    const auto merge = [&](size_t begin, size_t end) -> Status {
      for (size_t pair = begin; pair < end; ++pair) {
        const size_t run = pair * 2 * width;
        std::merge(at(*items, run), at(*items, run + width), at(*items, run + width),
                   at(*items, run + 2 * width), at(other, run), less);
      }
      return {};
    };
    GLS_TRY(parallel_try(pool, runs / (2 * width), 1, merge));
    items->swap(other);
  }
  return {};
}

}  // namespace gls
