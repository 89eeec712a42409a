// The codebook of a quantised column. A row is `width` codes of 1, 2, 4 or 8 bits, packed into
// bytes from the highest bits down. Unused bits of its last byte are undefined.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "tensor/tensor.h"

namespace gls {

class Codebook {
 public:
  static constexpr int64_t kMaxWidth = int64_t{1} << 31;

  // `values` has 2^bits finite numbers. Errors name the argument.
  static Result<std::shared_ptr<const Codebook>> create(int64_t bits, int64_t width,
                                                        std::vector<float> values);
  // Evenly spaced from `low` to `high`.
  static Result<std::vector<float>> even_values(int64_t bits, double low, double high);

  int64_t bits() const { return bits_; }
  int64_t width() const { return width_; }
  int64_t packed_width() const { return packed_width(bits_, width_); }
  // Bytes of a row with this many codes.
  static int64_t packed_width(int64_t bits, int64_t width) { return (width * bits + 7) / 8; }
  const std::vector<float>& values() const { return values_; }
  // [256][8 / bits]: the values of each byte.
  const float* by_byte() const { return by_byte_.data(); }

  // Checks that `codes` is uint8 [rows, packed_width].
  Status check_codes(const Tensor& codes) const;

 private:
  Codebook(int64_t bits, int64_t width, std::vector<float> values);

  int64_t bits_;
  int64_t width_;
  std::vector<float> values_;
  std::vector<float> by_byte_;
};

// The codes of [rows, width] numbers: the nearest of even_values(), or of two equally near ones the
// one with the even code. Numbers beyond `low` and `high` get their codes; NaN is an error.
Result<Tensor> quantize(const Tensor& numbers, int64_t bits, double low, double high);

}  // namespace gls
