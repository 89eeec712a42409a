#include "tensor/codebook.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/float_mode.h"
#include "system/memory.h"

namespace gls {
namespace {

Status check_bits(int64_t bits) {
  if (bits != 1 && bits != 2 && bits != 4 && bits != 8) {
    return invalid("bits is {}, expected 1, 2, 4 or 8", bits).with("argument", "bits");
  }
  return {};
}

Status check_range(double low, double high) {
  const auto fits = [](double number) {
    return std::abs(number) <= double{std::numeric_limits<float>::max()};
  };
  if (!fits(low) || !fits(high) || low >= high) {
    return invalid(
               "low is {} and high {}, expected numbers of float32, the first less than the other",
               low, high)
        .with("argument", "low");
  }
  return {};
}

}  // namespace

Codebook::Codebook(int64_t bits, int64_t width, std::vector<float> values)
    : bits_(bits), width_(width), values_(std::move(values)) {
  const auto mask = static_cast<uint32_t>(values_.size() - 1);
  for (uint32_t byte = 0; byte < 256; ++byte) {
    for (int64_t shift = 8 - bits_; shift >= 0; shift -= bits_) {
      by_byte_.push_back(values_[byte >> shift & mask]);
    }
  }
}

Result<std::shared_ptr<const Codebook>> Codebook::create(int64_t bits, int64_t width,
                                                         std::vector<float> values) {
  GLS_TRY(check_bits(bits));
  if (width < 1 || width > kMaxWidth) {
    return invalid("width is {}, expected 1 to {}", width, kMaxWidth).with("argument", "width");
  }
  const size_t expected = size_t{1} << bits;
  if (values.size() != expected) {
    return invalid("codebook has {} numbers, expected {} for {} bits", values.size(), expected,
                   bits)
        .with("argument", "codebook");
  }
  for (size_t code = 0; code < values.size(); ++code) {
    if (!std::isfinite(values[code])) {
      return invalid("codebook: number {} is {}, expected a finite one", code, values[code])
          .with("argument", "codebook");
    }
  }
  return std::shared_ptr<const Codebook>(new Codebook(bits, width, std::move(values)));
}

Result<std::vector<float>> Codebook::even_values(int64_t bits, double low, double high) {
  GLS_TRY(check_bits(bits));
  GLS_TRY(check_range(low, high));
  const DefaultFloatMode float_mode;
  const auto last = static_cast<double>((1 << bits) - 1);
  std::vector<float> out;
  out.reserve(size_t{1} << bits);
  for (int code = 0; code < 1 << bits; ++code) {
    out.push_back(static_cast<float>(low + static_cast<double>(code) / last * (high - low)));
  }
  return out;
}

Status Codebook::check_codes(const Tensor& codes) const {
  const std::vector<int64_t>& shape = codes.shape();
  if (!same_dtype(codes.dtype(), kUint8) || shape.size() != 2 || shape[1] != packed_width()) {
    return invalid("codes: {} {}, expected uint8 [rows, {}] for {} numbers of {} bits",
                   dtype_name(codes.dtype()), shape_text(shape), packed_width(), width_, bits_)
        .with("argument", "codes");
  }
  return {};
}

Result<Tensor> quantize(const Tensor& numbers, int64_t bits, double low, double high) {
  GLS_TRY(check_bits(bits));
  GLS_TRY(check_range(low, high));
  if (numbers.shape().size() != 2 || numbers.shape()[1] < 1) {
    return invalid("numbers: shape {}, expected [rows, width]", shape_text(numbers.shape()))
        .with("argument", "numbers");
  }
  const DefaultFloatMode float_mode;
  const int64_t rows = numbers.rows();
  const int64_t width = numbers.shape()[1];
  const int64_t per_byte = 8 / bits;
  const int64_t packed = Codebook::packed_width(bits, width);
  const auto last = static_cast<double>((1 << bits) - 1);
  auto owner = std::make_shared<PageBlock>(static_cast<size_t>(rows * packed), false);
  auto* const out = reinterpret_cast<uint8_t*>(owner->data());
  for (int64_t row = 0; row < rows; ++row) {
    const std::byte* const from = numbers.data() + row * numbers.row_stride();
    uint8_t* const to = out + row * packed;
    for (int64_t i = 0; i < width; ++i) {
      const double number = element_as_double(from, numbers.dtype(), static_cast<size_t>(i));
      if (std::isnan(number)) {
        return invalid("numbers: row {} has no number at {}", row, i).with("argument", "numbers");
      }
      const double clipped = std::clamp(number, low, high);
      const double code = std::nearbyint((clipped - low) / (high - low) * last);
      const auto shift = static_cast<unsigned>(8 - bits * (i % per_byte + 1));
      to[i / per_byte] |= static_cast<uint8_t>(static_cast<unsigned>(code) << shift);
    }
  }
  const std::byte* const data = owner->data();
  return Tensor(std::move(owner), data, kUint8, {rows, packed}, false);
}

}  // namespace gls
