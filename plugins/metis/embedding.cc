// Adapts METIS 5 to run inside another process. METIS itself would draw from rand(), which all
// threads share, and would handle SIGTERM and SIGABRT. It calls the functions below by name. They
// come first in the symbol scope of the plugin, so they replace its own.
#include "embedding.h"

#include <csetjmp>
#include <csignal>
#include <cstdarg>

#include "base/philox.h"

namespace {

thread_local uint64_t stream_key = 0;
thread_local uint64_t next_draw = 0;
thread_local gls::PhiloxWords words;

// METIS has no way to be cancelled. It draws random numbers in every phase, several for each node,
// so the check is there. It then returns as if memory ran out, and frees everything.
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

// Of METIS: the return point of its functions after a failure.
extern __thread int gk_cur_jbufs;
[[noreturn]] void gk_sigthrow(int signal_number);

#pragma GCC visibility push(default)

void gk_randinit(uint64_t) { next_draw = 0; }

// 31 random bits, because METIS uses the result as an int32.
uint32_t gk_randint32() {
  if (watched != nullptr && ++draws % kDrawsPerQuestion == 0 && !stop) {
    stop = watched->keep_going(watched->user_data) == 0;
    if (stop) {
      gk_sigthrow(SIGTERM);  // METIS treats this signal as an error other than lack of memory
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
