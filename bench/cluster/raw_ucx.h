// The least that could be done over UCX: two threads, a worker each, that do nothing else, and
// tagged messages for which a receive was posted. What channels of UCX are compared with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "bench/support/sockets.h"

namespace gls::bench {

class RawUcx {
 public:
  using Bytes = Sockets::Bytes;
  struct Options {
    std::string transports;  // as net.data_transports
    // Without the precautions of channels against a peer that dies: UCX as it comes.
    bool careless = false;
    // How long either thread asks UCX before it sleeps until UCX wakes it.
    uint64_t spin_ns = 200'000;  // as channels
  };

  RawUcx(const Options& options, Sockets::Serve serve);
  ~RawUcx();
  RawUcx(const RawUcx&) = delete;
  RawUcx& operator=(const RawUcx&) = delete;

  // A reply of as many bytes. One thread.
  void fetch(Bytes request, void* out, size_t bytes);

 private:
  class Side;
  class Both;
  std::unique_ptr<Both> both_;
};

}  // namespace gls::bench
