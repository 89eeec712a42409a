#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "ingest/common/text_value.h"
#include "ingest_support.h"

namespace gls {
namespace {

using namespace test;

template <typename T>
void expect_value(const std::string& field, const char* dtype, T expected) {
  T value{};
  const char* const why =
      parse_value(field, *parse_dtype(dtype), reinterpret_cast<std::byte*>(&value));
  EXPECT_EQ(why, nullptr) << field << " as " << dtype << " " << (why == nullptr ? "" : why);
  EXPECT_EQ(std::memcmp(&value, &expected, sizeof value), 0) << field << " as " << dtype;
}

void expect_error(const std::string& field, const char* dtype, const std::string& expected) {
  std::byte value[8];
  const char* const why = parse_value(field, *parse_dtype(dtype), value);
  ASSERT_NE(why, nullptr) << field << " as " << dtype;
  EXPECT_EQ(why, expected) << field << " as " << dtype;
}

TEST(TextValue, Integers) {
  expect_value<int8_t>("-128", "int8", -128);
  expect_value<int8_t>("127", "int8", 127);
  expect_value<uint8_t>("255", "uint8", 255);
  expect_value<int16_t>("-32768", "int16", -32768);
  expect_value<uint16_t>("65535", "uint16", 65535);
  expect_value<int32_t>("2147483647", "int32", 2147483647);
  expect_value<uint32_t>("4294967295", "uint32", 4294967295u);
  expect_value<int64_t>("-9223372036854775808", "int64", std::numeric_limits<int64_t>::min());
  expect_value<uint64_t>("18446744073709551615", "uint64", UINT64_MAX);
  expect_value<int64_t>("007", "int64", 7);
  expect_error("128", "int8", "is out of range");
  expect_error("-129", "int8", "is out of range");
  expect_error("256", "uint8", "is out of range");
  expect_error("-1", "uint8", "is out of range");
  expect_error("-1", "uint64", "is out of range");
  expect_error("18446744073709551616", "uint64", "is out of range");
  for (const char* bad : {"", " 1", "1 ", "+1", "1.0", "1e3", "0x10", "x", "1x", "--1"}) {
    std::byte value[8];
    EXPECT_NE(parse_value(bad, kInt64, value), nullptr) << bad;
    EXPECT_NE(parse_value(bad, *parse_dtype("uint16"), value), nullptr) << bad;
  }
}

TEST(TextValue, Reals) {
  expect_value<float>("0.1", "float32", 0.1f);
  expect_value<float>("-1e-45", "float32", -std::numeric_limits<float>::denorm_min());
  expect_value<float>("1e-60", "float32", 0.0f);
  expect_value<float>("3.4028235e38", "float32", std::numeric_limits<float>::max());
  expect_error("3.5e38", "float32", "is out of range");
  expect_value<float>("inf", "float32", std::numeric_limits<float>::infinity());
  expect_value<double>("1e308", "float64", 1e308);
  expect_value<double>("3", "float64", 3.0);
  expect_value<double>("-inf", "float64", -std::numeric_limits<double>::infinity());
  expect_error("1e309", "float64", "is out of range");
  double nan = 0;
  EXPECT_EQ(parse_value("nan", kFloat64, reinterpret_cast<std::byte*>(&nan)), nullptr);
  EXPECT_TRUE(std::isnan(nan));
  for (const char* bad : {"", "1,5", "1.5x", "e5", "+1", "0x1p3", "one"}) {
    std::byte value[8];
    EXPECT_NE(parse_value(bad, kFloat32, value), nullptr) << bad;
    EXPECT_NE(parse_value(bad, kFloat64, value), nullptr) << bad;
  }
}

TEST(TextValue, Booleans) {
  expect_value<uint8_t>("0", "bool", 0);
  expect_value<uint8_t>("1", "bool", 1);
  expect_value<uint8_t>("true", "bool", 1);
  expect_value<uint8_t>("false", "bool", 0);
  for (const char* bad : {"", "2", "True", "yes", "01"}) {
    std::byte value[8];
    EXPECT_NE(parse_value(bad, *parse_dtype("bool"), value), nullptr) << bad;
  }
}

// Every half is the nearest to itself, and to what lies less than half a step away; ties go to
// even.
TEST(TextValue, RoundsToHalfExactly) {
  for (uint32_t bits = 0; bits < 0x7c00; ++bits) {
    const auto half = static_cast<uint16_t>(bits);
    const double value = half_to_float(half);
    ASSERT_EQ(float_to_half(value), half);
    ASSERT_EQ(float_to_half(-value), half | 0x8000);
    if (bits + 1 < 0x7c00) {
      const double next = half_to_float(static_cast<uint16_t>(bits + 1));
      const double middle = (value + next) / 2;
      ASSERT_EQ(float_to_half(middle), bits % 2 == 0 ? bits : bits + 1) << middle;
      ASSERT_EQ(float_to_half(std::nextafter(middle, 0)), bits) << middle;
      ASSERT_EQ(float_to_half(std::nextafter(middle, next)), bits + 1) << middle;
    }
  }
  EXPECT_EQ(float_to_half(65519.99), 0x7bff);
  EXPECT_EQ(float_to_half(65520), 0x7c00);
  EXPECT_EQ(float_to_half(-1e300), 0xfc00);
  EXPECT_TRUE(std::isnan(half_to_float(float_to_half(std::nan("")))));
  expect_value<uint16_t>("1.5", "float16", 0x3e00);
  expect_value<uint16_t>("-inf", "float16", 0xfc00);
  expect_error("65520", "float16", "is out of range");
}

TEST(TextValue, RoundsToBfloatExactly) {
  for (uint32_t bits = 0; bits < 0x7f80; ++bits) {
    const auto bfloat = static_cast<uint16_t>(bits);
    const double value = bfloat_to_float(bfloat);
    ASSERT_EQ(float_to_bfloat(value), bfloat);
    ASSERT_EQ(float_to_bfloat(-value), bfloat | 0x8000);
    if (bits + 1 < 0x7f80) {
      const double next = bfloat_to_float(static_cast<uint16_t>(bits + 1));
      const double middle = (value + next) / 2;
      ASSERT_EQ(float_to_bfloat(middle), bits % 2 == 0 ? bits : bits + 1) << middle;
      ASSERT_EQ(float_to_bfloat(std::nextafter(middle, 0)), bits) << middle;
      ASSERT_EQ(float_to_bfloat(std::nextafter(middle, next)), bits + 1) << middle;
    }
  }
  EXPECT_EQ(float_to_bfloat(1e300), 0x7f80);
  EXPECT_TRUE(std::isnan(bfloat_to_float(float_to_bfloat(-std::nan("")))));
  expect_value<uint16_t>("1", "bfloat16", 0x3f80);
  expect_error("1e39", "bfloat16", "is out of range");
}

TEST(TextValue, ShowsAnyBytesReadably) {
  EXPECT_EQ(shown("plain"), "plain");
  EXPECT_EQ(shown(std::string("a\0\x01\xff\n", 5)), "a????");
  EXPECT_EQ(shown("\xc5\xa0"
                  "af\xe9"),
            "\xc5\xa0"
            "af?");
  // Not cut within a character.
  EXPECT_EQ(shown(std::string(59, 'x') + "\xc3\xa9y"), std::string(59, 'x') + "...");
  std::string cut(60, 'x');
  cut += "...";
  EXPECT_EQ(shown(std::string(1000, 'x')), cut);
}

}  // namespace
}  // namespace gls
