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

// METIS has no way to be stopped. It draws numbers in every phase, several for each node, so that
// is where it is asked; and it returns from there as when its memory runs out, freeing all it has.
constexpr uint64_t kDrawsPerQuestion = 1 << 12;
thread_local const gls::MetisWatch* watched = nullptr;
thread_local uint64_t draws = 0;
thread_local bool stop = false;

}  // namespace

namespace gls::metis {

void set_seed(uint64_t seed) {
  stream_key = seed;
  next_draw = 0;
}

Watching::Watching(const MetisWatch* watch) {
  watched = watch;
  draws = 0;
  stop = false;
}
Watching::~Watching() { watched = nullptr; }
bool Watching::stopped() const { return stop; }

}  // namespace gls::metis

extern "C" {

// Of METIS: where its functions return to when one of them fails.
extern __thread int gk_cur_jbufs;
[[noreturn]] void gk_sigthrow(int signal_number);

#pragma GCC visibility push(default)

void gk_randinit(uint64_t) { next_draw = 0; }

// Of 31 bits, as METIS takes it for an int32.
uint32_t gk_randint32() {
  if (watched != nullptr && ++draws % kDrawsPerQuestion == 0 && !stop) {
    stop = watched->keep_going(watched->user_data) == 0;
    if (stop) {
      gk_sigthrow(SIGTERM);  // what METIS takes for an error other than memory
    }
  }
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
