// METIS 5 as a guest in somebody's process. It would draw from rand(), which every thread shares,
// and handle SIGTERM and SIGABRT while it runs. Its own library calls the functions below by name,
// so that these, which come first in the plugin's scope, take the place of its own.
#include "embedding.h"

#include <csetjmp>
#include <csignal>
#include <cstdarg>

#include "base/philox.h"

namespace {

thread_local uint64_t stream_key = 0;
thread_local uint64_t next_draw = 0;
thread_local gls::PhiloxWords words;

}  // namespace

namespace gls::metis {

void set_seed(uint64_t seed) {
  stream_key = seed;
  next_draw = 0;
}

}  // namespace gls::metis

extern "C" {

// Of METIS: where its functions return to when one of them fails.
extern __thread int gk_cur_jbufs;
[[noreturn]] void gk_sigthrow(int signal_number);

#pragma GCC visibility push(default)

void gk_randinit(uint64_t) { next_draw = 0; }

// Of 31 bits, as METIS takes it for an int32.
uint32_t gk_randint32() {
  if (next_draw % 4 == 0) {
    words = gls::philox(gls::lo32(next_draw / 4), gls::hi32(next_draw / 4), 0, 0, stream_key);
  }
  return words.w[next_draw++ % 4] >> 1;
}

int gk_sigtrap() {
  ++gk_cur_jbufs;
  return 1;
}

int gk_siguntrap() {
  --gk_cur_jbufs;
  return 1;
}

void gk_errexit(int signal_number, const char*, ...) { gk_sigthrow(signal_number); }

#pragma GCC visibility pop

}  // extern "C"
