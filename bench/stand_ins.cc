#include "stand_ins.h"

#include "hash_words.h"

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
  static constexpr Table table = {
      "avx512 with a hash for random words",
      {pick_512<HashWords512, int32_t>, pick_512<HashWords512, int64_t>},
      GLS_COMMON_LOADS,
      {relabel_512<int32_t>, relabel_512<int64_t>},
      draw_512,
      count_not_above,
      make_distinct<CountByMasks>,
      walk_draws_512,
      {numbers_512<int32_t>, numbers_512<int64_t>},
      numbers_below_512,
      smallest_512};
  return table;
}

const Table& unchecked_table() {
  static constexpr Table table = {
      "avx512 without checks",
      {pick_512<PhiloxWords512, int32_t>, pick_512<PhiloxWords512, int64_t>},
      {{load_any<int32_t, uint32_t>, load_any<int32_t, uint64_t>},
       {load_any<int64_t, uint32_t>, load_any<int64_t, uint64_t>}},
      {relabel_512<int32_t>, relabel_512<int64_t>},
      draw_512,
      count_not_above,
      make_distinct<CountByMasks>,
      walk_draws_512,
      {numbers_512<int32_t>, numbers_512<int64_t>},
      numbers_below_512,
      smallest_512};
  return table;
}

}  // namespace gls::kernels
