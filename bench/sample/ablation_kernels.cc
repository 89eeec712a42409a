#include "bench/sample/ablation_kernels.h"

#include "bench/sample/hash_words.h"

namespace gls::kernels {
namespace {

// load_below() without its comparison.
template <typename In, typename Out>
bool load_any(const void* ids, const int64_t* positions, int64_t count, uint64_t /*limit*/,
              void* out) {
  const auto* from = static_cast<const In*>(ids);
  auto* to = static_cast<Out*>(out);
  read_picks(from, positions, count,
             [&](int64_t i) { to[i] = static_cast<Out>(from[positions[i]]); });
  return true;
}

}  // namespace

const Table& hashing_table() {
  static const Table table = [] {
    Table changed = avx512_table();
    changed.name = "avx512 with a hash for random words";
    changed.pick[0] = pick_512<HashWords512, int32_t>;
    changed.pick[1] = pick_512<HashWords512, int64_t>;
    return changed;
  }();
  return table;
}

const Table& unchecked_table() {
  static const Table table = [] {
    Table changed = avx512_table();
    changed.name = "avx512 without checks";
    changed.load[0][0] = load_any<int32_t, uint32_t>;
    changed.load[0][1] = load_any<int32_t, uint64_t>;
    changed.load[1][0] = load_any<int64_t, uint32_t>;
    changed.load[1][1] = load_any<int64_t, uint64_t>;
    return changed;
  }();
  return table;
}

}  // namespace gls::kernels
