#include "synthetic.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>

#include "ordered_chunks.h"
#include "philox.h"
#include "scratch_file.h"
#include "tensor_io.h"

namespace gls::tool {
namespace {

constexpr int64_t kRowsPerChunk = 16384;

// Multiples of 2^-23 in [-1, 1): sums of a few are exact in float32 on every machine.
float noise(uint32_t word) {
  return static_cast<float>(static_cast<int32_t>(word) >> 8) * 0x1p-23f;
}

// The random words of one row or class, four at a time.
void fill_noise(uint64_t seed, Stream stream, uint64_t index, float* out, size_t count) {
  for (size_t i = 0; i < count; i += 4) {
    const PhiloxWords words =
        philox({static_cast<uint32_t>(i / 4), static_cast<uint32_t>(stream),
                static_cast<uint32_t>(index), static_cast<uint32_t>(index >> 32)},
               seed);
    for (size_t j = i; j < std::min(i + 4, count); ++j) {
      out[j] = noise(words[j - i]);
    }
  }
}

int64_t label_of(const SyntheticColumns& columns, int64_t node) {
  const uint64_t word =
      random_pair(columns.seed, Stream::kLabels, static_cast<uint64_t>(node), 0).first;
  return static_cast<int64_t>(below(word, static_cast<uint64_t>(columns.classes)));
}

std::vector<float> class_means(const SyntheticColumns& columns) {
  const auto width = static_cast<size_t>(columns.features);
  const auto classes = static_cast<size_t>(std::max<int64_t>(columns.classes, 1));
  std::vector<float> out(classes * width);
  for (size_t i = 0; i < classes; ++i) {
    fill_noise(columns.seed, Stream::kMeans, i, out.data() + i * width, width);
  }
  return out;
}

std::vector<std::byte> make_rows(const SyntheticColumns& columns, const std::vector<float>& means,
                                 int64_t begin, int64_t end) {
  const auto width = static_cast<size_t>(columns.features);
  const size_t row_bytes = width * (columns.half ? 2 : 4);
  std::vector<std::byte> out(static_cast<size_t>(end - begin) * row_bytes);
  std::vector<float> row(width);
  std::vector<uint16_t> halves(width);
  for (int64_t node = begin; node < end; ++node) {
    fill_noise(columns.seed, Stream::kFeatures, static_cast<uint64_t>(node), row.data(), width);
    const int64_t label = columns.classes > 0 ? label_of(columns, node) : 0;
    const float* const mean = means.data() + static_cast<size_t>(label) * width;
    for (size_t i = 0; i < width; ++i) {
      row[i] += 0.5f * mean[i];
    }
    std::byte* const to = out.data() + static_cast<size_t>(node - begin) * row_bytes;
    if (columns.half) {
      std::transform(row.begin(), row.end(), halves.begin(), to_half);
      std::memcpy(to, halves.data(), row_bytes);
    } else {
      std::memcpy(to, row.data(), row_bytes);
    }
  }
  return out;
}

}  // namespace

uint16_t to_half(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  const auto sign = static_cast<uint16_t>((bits >> 16) & 0x8000);
  const uint32_t magnitude = bits & 0x7fffffff;
  if (magnitude >= 0x477ff000) {  // rounds to infinity, or is infinite or NaN
    return static_cast<uint16_t>(sign | (magnitude > 0x7f800000 ? 0x7e00 : 0x7c00));
  }
  if (magnitude < 0x38800000) {  // below the smallest normal float16
    const float scaled = std::bit_cast<float>(magnitude) * 0x1p24f;
    const auto whole = static_cast<uint32_t>(scaled);
    const float rest = scaled - static_cast<float>(whole);
    const bool up = rest > 0.5f || (rest == 0.5f && (whole & 1) != 0);
    return static_cast<uint16_t>(sign | (whole + (up ? 1 : 0)));
  }
  const uint32_t rebased = magnitude - 0x38000000;
  return static_cast<uint16_t>(sign | ((rebased + 0xfff + ((rebased >> 13) & 1)) >> 13));
}

Tensor make_labels(const SyntheticColumns& columns) {
  std::vector<int64_t> labels(static_cast<size_t>(columns.nodes));
  for (int64_t node = 0; node < columns.nodes; ++node) {
    labels[static_cast<size_t>(node)] = label_of(columns, node);
  }
  return Tensor::copy(labels, kInt64);
}

Tensor make_features(const SyntheticColumns& columns, Progress& progress) {
  ScratchFile file(columns.scratch_folder);
  const std::vector<float> means = class_means(columns);
  const int64_t chunks = (columns.nodes + kRowsPerChunk - 1) / kRowsPerChunk;
  int64_t done = 0;
  for_each_chunk(
      static_cast<size_t>(chunks), columns.threads,
      [&](size_t i) {
        const int64_t begin = static_cast<int64_t>(i) * kRowsPerChunk;
        return make_rows(columns, means, begin, std::min(begin + kRowsPerChunk, columns.nodes));
      },
      [&](const std::vector<std::byte>& rows) {
        file.append(rows.data(), rows.size());
        done = std::min(done + kRowsPerChunk, columns.nodes);
        progress.update("generating features", static_cast<uint64_t>(done),
                        static_cast<uint64_t>(columns.nodes), "rows");
      });
  const DLDataType dtype = {kDLFloat, static_cast<uint8_t>(columns.half ? 16 : 32), 1};
  return file.map(dtype, {columns.nodes, columns.features});
}

std::vector<std::vector<int64_t>> make_split(int64_t nodes, const std::vector<int64_t>& sizes,
                                             uint64_t seed) {
  const int64_t wanted = std::accumulate(sizes.begin(), sizes.end(), int64_t{0});
  std::vector<int64_t> order(static_cast<size_t>(nodes));
  std::iota(order.begin(), order.end(), 0);
  // A shuffle that stops when enough positions are final.
  for (int64_t i = 0; i < wanted; ++i) {
    const uint64_t word = random_pair(seed, Stream::kSplit, static_cast<uint64_t>(i), 0).first;
    const auto other = i + static_cast<int64_t>(below(word, static_cast<uint64_t>(nodes - i)));
    std::swap(order[static_cast<size_t>(i)], order[static_cast<size_t>(other)]);
  }
  std::vector<std::vector<int64_t>> out;
  auto at = order.begin();
  for (const int64_t size : sizes) {
    out.emplace_back(at, at + size);
    std::sort(out.back().begin(), out.back().end());
    at += size;
  }
  return out;
}

}  // namespace gls::tool
