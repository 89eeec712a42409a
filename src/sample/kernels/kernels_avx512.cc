#include "sample/kernels/filter_avx512.h"
#include "sample/kernels/times_avx512.h"
#include "sample/kernels/uniform_avx512.h"
#include "sample/kernels/weighted_avx512.h"

namespace gls::kernels {
const Table& avx512_table() {
  static constexpr Table table = {
      "avx512",
      {pick_512<PhiloxWords512, int32_t>, pick_512<PhiloxWords512, int64_t>},
      GLS_COMMON_LOADS,
      {relabel_512<int32_t>, relabel_512<int64_t>},
      {sift_512, sift_one_by_one<int64_t>},
      {pick_weighted<Avx512Weighted, int32_t>, pick_weighted<Avx512Weighted, int64_t>},
      walk_draws_512,
      {numbers_512<int32_t>, numbers_512<int64_t>},
      numbers_below_512,
      smallest_512,
      {times_within_512, wide_times_within_512},
  };
  return table;
}

}  // namespace gls::kernels
