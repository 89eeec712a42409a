// The least that could be done over libfabric: two threads, an endpoint each, that do nothing else,
// and tagged messages for which a receive was posted. What channels of libfabric are compared with.
#pragma once

#include <cstddef>
#include <memory>

#include "bench/support/sockets.h"

namespace gls::bench {

class RawOfi {
 public:
  using Bytes = Sockets::Bytes;

  // Over the provider for TCP. Threads ask libfabric all the time while there is something to do.
  explicit RawOfi(Sockets::Serve serve);
  ~RawOfi();
  RawOfi(const RawOfi&) = delete;
  RawOfi& operator=(const RawOfi&) = delete;

  // A reply of as many bytes. One thread.
  void fetch(Bytes request, void* out, size_t bytes);

 private:
  class Side;
  class Both;
  std::unique_ptr<Both> both_;
};

}  // namespace gls::bench
