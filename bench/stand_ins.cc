#include "hash_kernels.h"

#include "hash_words.h"

namespace gls::kernels {

const Table& hashing_table() {
  static constexpr Table table = {
      "avx512 with a hash for random words",
      {pick_512<HashWords512, int32_t>, pick_512<HashWords512, int64_t>},
      GLS_COMMON_LOADS,
      {relabel_512<int32_t>, relabel_512<int64_t>}};
  return table;
}

}  // namespace gls::kernels
