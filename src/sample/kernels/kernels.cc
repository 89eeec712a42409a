#include "sample/kernels/kernels.h"

namespace gls::kernels {

const Table& table_for(int level) {
#if defined(__x86_64__)
  if (level >= 2) {
    return avx512_table();
  }
  if (level == 1) {
    return avx2_table();
  }
#endif
  static_cast<void>(level);
  return plain_table();
}

}  // namespace gls::kernels
