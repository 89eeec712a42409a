// Logarithm and power from exactly rounded operations only. The C library's results differ in their
// last bits between versions and CPUs, and so would every generated graph.
#pragma once

#include <cmath>
#include <cstdint>

namespace gls::tool {

inline constexpr double kLn2 = 0.69314718055994530942;

// 2 * artanh(s) = log((1 + s) / (1 - s)), for |s| <= 0.35
inline double twice_artanh(double s) {
  const double square = s * s;
  double sum = 0;
  for (int k = 35; k >= 1; k -= 2) {
    sum = sum * square + 1.0 / k;
  }
  return 2 * s * sum;
}

// Natural logarithm of x > 0.
inline double portable_log(double x) {
  int exponent = 0;
  double mantissa = std::frexp(x, &exponent);  // [0.5, 1), exact
  if (mantissa < 0.70710678118654752440) {
    mantissa *= 2;
    --exponent;
  }
  return exponent * kLn2 + twice_artanh((mantissa - 1) / (mantissa + 1));
}

// log(1 - p) for 0 <= p < 1, exact also where p is tiny.
inline double portable_log1m(double p) {
  return p < 0.5 ? -twice_artanh(p / (2 - p)) : portable_log(1 - p);
}

inline double portable_exp(double x) {
  const double n = std::floor(x / kLn2 + 0.5);
  const double r = x - n * kLn2;  // |r| <= 0.35
  double sum = 1;
  for (int k = 17; k >= 1; --k) {
    sum = 1 + sum * r / k;
  }
  return std::ldexp(sum, static_cast<int>(n));
}

// x > 0
inline double portable_pow(double x, double y) { return portable_exp(y * portable_log(x)); }

}  // namespace gls::tool
