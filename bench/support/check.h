// Ends the program with a message when a step of a benchmark fails.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>

#include "base/status.h"

namespace gls::bench {

[[noreturn]] inline void fail(const std::string& why) {
  std::fflush(stdout);  // so that this is the last line
  std::fprintf(stderr, "benchmark: %s\n", why.c_str());
  std::exit(1);
}

template <typename T>
T check(Result<T> result) {
  if (!result.ok()) {
    fail(result.status().message());
  }
  return result.take();
}

inline void check(const Status& status) {
  if (!status.ok()) {
    fail(status.message());
  }
}

}  // namespace gls::bench
