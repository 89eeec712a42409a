// Makes chunks on several threads and passes them on in order.
#pragma once

#include <cstddef>
#include <deque>
#include <future>
#include <utility>

namespace gls::tool {

// Calls consume(make(i)) for i = 0 .. count-1 in order, on this thread. make(i) runs on other
// threads, at most `threads` at once.
template <typename Make, typename Consume>
void for_each_chunk(size_t count, size_t threads, const Make& make, Consume&& consume) {
  using Chunk = decltype(make(size_t{0}));
  // Destroying a future waits for its thread, so an exception leaves no thread behind.
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
