// Gathering against the obvious loop, for every width, instruction set and conversion.
#include "feature/gather.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "test_graph.h"

namespace gls::test {
namespace {

constexpr Simd kAll[] = {Simd::kPlain, Simd::kAvx2, Simd::kAvx512};

// A column of bytes 0, 1, 2, ... with `padding` bytes between rows.
Tensor byte_column(int64_t rows, int64_t width, int64_t padding) {
  auto bytes =
      std::make_shared<std::vector<uint8_t>>(static_cast<size_t>(rows * (width + padding)));
  for (size_t i = 0; i < bytes->size(); ++i) {
    (*bytes)[i] = static_cast<uint8_t>(i * 31 + i / 251);
  }
  const uint8_t* const data = bytes->data();
  return Tensor(std::move(bytes), data, kUint8, {rows, width}, width + padding, true);
}

TEST(Gather, CopiesRowsOfEveryWidth) {
  const auto pool = std::make_shared<BufferPool>(false, 1 << 20);
  const std::vector<int32_t> ids = {5, 0, 99, 5, 42, 7, 98, 1, 63, 64, 2, 99, 31, 17, 8, 20, 3};
  const std::vector<int64_t> wide(ids.begin(), ids.end());
  std::vector<int64_t> widths = {100, 127,  128,  129,  255,  256,  400,
                                 512, 1000, 4096, 5000, 8192, 8193, 20000};
  for (int64_t width = 0; width <= 80; ++width) {
    widths.push_back(width);
  }
  for (const int64_t width : widths) {
    for (const int64_t padding : {0, 3, 48}) {
      const Tensor column = byte_column(100, width, padding);
      for (const Simd simd : kAll) {
        if (simd > detect_simd()) {
          continue;  // this processor cannot run it
        }
        for (const uint64_t streaming : {~uint64_t{0}, uint64_t{0}}) {
          for (const int64_t ahead : {1, 100}) {
            const GatherOptions options = {simd, ahead, streaming};
            const Tensor one = gather(*pool, column, {ids.data(), false, 17}, kUint8, options);
            const Tensor two = gather(*pool, column, {wide.data(), true, 17}, kUint8, options);
            ASSERT_EQ(one.shape(), (std::vector<int64_t>{17, width}));
            for (size_t i = 0; width > 0 && i < ids.size(); ++i) {
              const auto* expected = column.data() + ids[i] * column.row_stride();
              const auto at = static_cast<int64_t>(i) * width;
              const auto size = static_cast<size_t>(width);
              ASSERT_EQ(std::memcmp(one.data() + at, expected, size), 0) << width;
              ASSERT_EQ(std::memcmp(two.data() + at, expected, size), 0) << width;
            }
          }
        }
      }
    }
  }
}

// Rows of any width and kind that go to places of a larger output, of which the rest stays.
TEST(Gather, ToPlaces) {
  const auto pool = std::make_shared<BufferPool>(false, 1 << 20);
  std::vector<int64_t> ids;
  std::vector<int64_t> places;  // every other row, backwards
  for (int64_t i = 0; i < 90; ++i) {
    ids.push_back(i * 37 % 100);
    places.push_back(2 * (89 - i) + 1);
  }
  const IdSpan span(ids.data(), true, 90);
  const auto check = [&](const Tensor& expected, auto gather_there) {
    const auto row = static_cast<size_t>(expected.row_bytes());
    const Buffer out = pool->acquire(180 * row);
    std::memset(out.as<>(), 0x5a, 180 * row);
    gather_there(out.as<>());
    for (size_t i = 0; row > 0 && i < ids.size(); ++i) {
      const std::byte* const there = out.as<>() + static_cast<size_t>(places[i]) * row;
      ASSERT_EQ(std::memcmp(there, expected.data() + i * row, row), 0) << i;
      ASSERT_TRUE(
          std::all_of(there - row, there, [](std::byte b) { return b == std::byte{0x5a}; }));
    }
  };
  for (const Simd simd : kAll) {
    for (const uint64_t streaming : {~uint64_t{0}, uint64_t{0}}) {
      if (simd > detect_simd()) {
        continue;
      }
      const GatherOptions options = {simd, 0, streaming};
      for (const int64_t width :
           {0, 1, 3, 4, 8, 9, 20, 31, 32, 50, 64, 100, 128, 130, 200, 512, 8320}) {
        SCOPED_TRACE(width);
        const Tensor column = byte_column(100, width, 3);
        const Tensor rows = gather(*pool, column, span, kUint8, options);
        check(rows, [&](std::byte* out) {
          gather_to(out, column, span, kUint8, options, places.data());
        });
        check(rows, [&](std::byte* out) {
          scatter_rows(out, rows.data(), width, places.data(), 90, options);
        });
      }
      for (const int64_t width : {1, 7, 16, 40}) {
        SCOPED_TRACE(width);
        const Tensor bytes = byte_column(100, 2 * width, 0);
        const Tensor halves(bytes.owner(), bytes.data(), kFloat16, {100, width});
        check(gather(*pool, halves, span, kFloat32, options), [&](std::byte* out) {
          gather_to(out, halves, span, kFloat32, options, places.data());
        });
        const auto codebook =
            Codebook::create(4, width, Codebook::even_values(4, 0, 250).take()).take();
        const Tensor codes = byte_column(100, codebook->packed_width(), 0);
        check(gather_decoded(*pool, codes, *codebook, span, options), [&](std::byte* out) {
          gather_decoded_to(out, codes, *codebook, span, options, places.data());
        });
      }
    }
  }
}

// Large enough that streaming stores are really used.
TEST(Gather, Streams) {
  const auto pool = std::make_shared<BufferPool>(true, 1 << 20);
  const Tensor column = byte_column(1000, 400, 48);
  std::vector<int32_t> ids;
  for (int i = 0; i < 30000; ++i) {
    ids.push_back(i * 7919 % 1000);
  }
  for (const Simd simd : kAll) {
    if (simd > detect_simd()) {
      continue;
    }
    const Tensor out = gather(*pool, column, {ids.data(), false, 30000}, kUint8, {simd, 0, 0});
    for (size_t i = 0; i < ids.size(); ++i) {
      ASSERT_EQ(
          std::memcmp(out.data() + i * 400, column.data() + ids[i] * column.row_stride(), 400), 0);
    }
  }
}

// All 65536 values of both 16-bit formats, on every instruction set, to the bit.
TEST(Gather, WidensExactly) {
  const auto pool = std::make_shared<BufferPool>(false, 1 << 20);
  std::vector<uint16_t> bits(65536);
  for (size_t i = 0; i < bits.size(); ++i) {
    bits[i] = static_cast<uint16_t>(i);
  }
  std::vector<int32_t> ids;
  for (int i = 0; i < 65536 / 32; ++i) {
    ids.push_back(i);
  }
  for (const DLDataType dtype : {kFloat16, kBfloat16}) {
    for (const int64_t width : {32, 16, 8, 1}) {
      const Tensor flat = tensor_of(bits, kFloat16);
      const Tensor column(flat.owner(), flat.data(), dtype, {65536 / width, width});
      std::vector<int32_t> rows;
      for (int i = 0; i < 65536 / width; ++i) {
        rows.push_back(i);
      }
      const IdSpan all(rows.data(), false, 65536 / width);
      const Tensor expected = gather(*pool, column, all, kFloat32, {Simd::kPlain});
      for (const Simd simd : kAll) {
        if (simd > detect_simd()) {
          continue;
        }
        for (const uint64_t streaming_from : {~uint64_t{0}, uint64_t{0}}) {
          const Tensor found = gather(*pool, column, all, kFloat32, {simd, 0, streaming_from});
          ASSERT_EQ(std::memcmp(found.data(), expected.data(), 65536 * 4), 0)
              << static_cast<int>(simd) << " width " << width;
        }
      }
    }
  }
  EXPECT_EQ(half_to_float(0x3c00), 1.0F);
  EXPECT_EQ(half_to_float(0xc000), -2.0F);
  EXPECT_EQ(half_to_float(0x0001), 0x1.0p-24F);
  EXPECT_EQ(half_to_float(0x03ff), 0x1.ff8p-15F);
  EXPECT_EQ(half_to_float(0x7bff), 65504.0F);
  EXPECT_EQ(half_to_float(0x7c00), INFINITY);
  EXPECT_EQ(bfloat_to_float(0x3f80), 1.0F);
  EXPECT_TRUE(can_gather_as(kFloat16, kFloat32));
  EXPECT_TRUE(can_gather_as(kInt64, kInt64));
  EXPECT_FALSE(can_gather_as(kFloat32, kFloat16));
  EXPECT_FALSE(can_gather_as(kFloat16, kBfloat16));
}

// Of all bits, for widths that end within a byte and rows beyond what is staged.
TEST(Gather, DecodesCodes) {
  const auto pool = std::make_shared<BufferPool>(false, 1 << 20);
  const std::vector<int32_t> ids = {5, 0, 99, 5, 42, 7, 98, 1, 63, 64, 2, 99, 31, 17, 8, 20, 3};
  const std::vector<int64_t> wide(ids.begin(), ids.end());
  for (const int64_t bits : {1, 2, 4, 8}) {
    std::vector<float> values;
    for (int c = 0; c < 1 << bits; ++c) {
      values.push_back(1.0F / (static_cast<float>(c) + 0.7F));
    }
    for (const int64_t width : {1, 2, 3, 5, 7, 8, 9, 15, 31, 32, 33, 100, 128, 2048, 2049}) {
      auto made = Codebook::create(bits, width, values);
      ASSERT_TRUE(made.ok());
      const Codebook& codebook = **made;
      for (const int64_t padding : {0, 5}) {
        const Tensor codes = byte_column(100, codebook.packed_width(), padding);
        ASSERT_TRUE(codebook.check_codes(codes).ok());
        std::vector<float> expected;
        for (const int32_t id : ids) {
          const auto* row =
              reinterpret_cast<const uint8_t*>(codes.data()) + id * codes.row_stride();
          for (int64_t i = 0; i < width; ++i) {
            const int64_t at = i * bits;
            const auto shift = static_cast<unsigned>(8 - bits - at % 8);
            const auto mask = (1U << static_cast<unsigned>(bits)) - 1;
            expected.push_back(values[unsigned{row[at / 8]} >> shift & mask]);
          }
        }
        for (const Simd simd : kAll) {
          if (simd > detect_simd()) {
            continue;
          }
          for (const uint64_t streaming : {~uint64_t{0}, uint64_t{0}}) {
            const GatherOptions options = {simd, 0, streaming};
            const Tensor one =
                gather_decoded(*pool, codes, codebook, {ids.data(), false, 17}, options);
            const Tensor two =
                gather_decoded(*pool, codes, codebook, {wide.data(), true, 17}, options, 19);
            ASSERT_EQ(one.shape(), (std::vector<int64_t>{17, width}));
            ASSERT_EQ(two.shape(), (std::vector<int64_t>{19, width}));
            const size_t bytes = expected.size() * sizeof(float);
            ASSERT_EQ(std::memcmp(one.data(), expected.data(), bytes), 0) << bits << " " << width;
            ASSERT_EQ(std::memcmp(two.data(), expected.data(), bytes), 0) << bits << " " << width;
            for (int64_t i = 17 * width; i < 19 * width; ++i) {
              ASSERT_EQ(two.as<float>()[i], 0.0F);
            }
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace gls::test
