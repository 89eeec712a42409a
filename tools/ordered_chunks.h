// Makes chunks on several threads and hands them over in order.
#pragma once

#include <cstddef>
#include <deque>
#include <future>
#include <utility>

namespace gls::tool {

// Calls consume(make(i)) for i = 0 .. count-1 in order, on this thread; make(i) runs on another
// one, at most `threads` at once.
template <typename Make, typename Consume>
void for_each_chunk(size_t count, size_t threads, const Make& make, Consume&& consume) {
  using Chunk = decltype(make(size_t{0}));
  // Destroyed futures wait for their threads, so an exception leaves none behind.
  std::deque<std::future<Chunk>> running;
  size_t started = 0;
  for (size_t i = 0; i < count; ++i) {
    while (started < count && running.size() < threads) {
      running.push_back(std::async(std::launch::async, make, started++));
    }
    Chunk chunk = running.front().get();
    running.pop_front();
    if (started < count) {
      running.push_back(std::async(std::launch::async, make, started++));
    }
    consume(std::move(chunk));
  }
}

}  // namespace gls::tool
