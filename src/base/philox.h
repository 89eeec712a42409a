// Philox4x32-10 and the keys of every random decision, for host and device code.
//
// Source: Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC'11.
// docs/contract.md section 1 describes the same in words; the two must not differ.
#pragma once

#include <cstdint>

#include "base/host_device.h"

namespace gls {

struct PhiloxWords {
  uint32_t w[4];
};

GLS_HOST_DEVICE constexpr PhiloxWords philox(uint32_t c0, uint32_t c1, uint32_t c2, uint32_t c3,
                                             uint64_t key) {
  auto k0 = static_cast<uint32_t>(key);
  auto k1 = static_cast<uint32_t>(key >> 32);
  for (int round = 0; round < 10; ++round) {
    const uint64_t p0 = uint64_t{0xd2511f53u} * c0;
    const uint64_t p1 = uint64_t{0xcd9e8d57u} * c2;
    c0 = static_cast<uint32_t>(p1 >> 32) ^ c1 ^ k0;
    c1 = static_cast<uint32_t>(p1);
    c2 = static_cast<uint32_t>(p0 >> 32) ^ c3 ^ k1;
    c3 = static_cast<uint32_t>(p0);
    k0 += 0x9e3779b9u;
    k1 += 0xbb67ae85u;
  }
  return {{c0, c1, c2, c3}};
}

GLS_HOST_DEVICE constexpr uint32_t lo32(uint64_t x) { return static_cast<uint32_t>(x); }
GLS_HOST_DEVICE constexpr uint32_t hi32(uint64_t x) { return static_cast<uint32_t>(x >> 32); }
GLS_HOST_DEVICE constexpr uint64_t key_of(const PhiloxWords& words) {
  return words.w[0] | (uint64_t{words.w[1]} << 32);
}

enum class KeyDomain : uint32_t {
  kSample = 1,
  kOrder = 2,
  kPart = 3,
  kLinkSplit = 4,
  kBudget = 6,
  kOwner = 7,
  kTable = 8
};

inline constexpr uint32_t kContractTag = 0x474c5301u;  // "GLS", contract 1
inline constexpr uint32_t kContractVersion = 1;

GLS_HOST_DEVICE constexpr uint64_t epoch_key(uint64_t seed, uint64_t epoch, KeyDomain domain) {
  return key_of(
      philox(lo32(epoch), hi32(epoch), static_cast<uint32_t>(domain), kContractTag, seed));
}
GLS_HOST_DEVICE constexpr uint64_t batch_key(uint64_t seed, uint64_t epoch, uint64_t batch) {
  return key_of(philox(lo32(batch), hi32(batch), 0, 0, epoch_key(seed, epoch, KeyDomain::kSample)));
}
GLS_HOST_DEVICE constexpr uint64_t tree_key(uint64_t batch_key, uint64_t tree) {
  return key_of(philox(lo32(tree), hi32(tree), 1, 0, batch_key));
}
GLS_HOST_DEVICE constexpr uint64_t walk_key(uint64_t batch_key, uint64_t walk) {
  return key_of(philox(lo32(walk), hi32(walk), 2, 0, batch_key));
}
// Keys of the LABOR numbers of nodes, and of their phases.
GLS_HOST_DEVICE constexpr uint64_t layer_key(uint64_t seed, uint64_t epoch, uint64_t period) {
  return key_of(
      philox(lo32(period), hi32(period), 3, 0, epoch_key(seed, epoch, KeyDomain::kSample)));
}
GLS_HOST_DEVICE constexpr uint64_t layer_phase_draw(uint64_t epoch_key, uint64_t node,
                                                    uint32_t node_type) {
  return key_of(philox(lo32(node), hi32(node), 4, node_type, epoch_key));
}
GLS_HOST_DEVICE constexpr uint64_t layer_number(uint64_t layer_key, uint64_t node, uint32_t word) {
  return key_of(philox(0, word, lo32(node), hi32(node), layer_key));
}
// For a node whose importance neighbours are searched: walk_key() of this key and a number is the
// key of a walk.
GLS_HOST_DEVICE constexpr uint64_t importance_key(uint64_t batch_key, uint64_t node, uint32_t hop) {
  return key_of(philox(lo32(node), hi32(node), 8, hop, batch_key));
}
// For the seeds that are drawn for a batch.
GLS_HOST_DEVICE constexpr uint64_t draw_key(uint64_t batch_key) {
  return key_of(philox(0, 0, 3, 0, batch_key));
}
// For the nodes that HGT sampling draws.
GLS_HOST_DEVICE constexpr uint64_t hgt_key(uint64_t seed, uint64_t epoch, uint64_t batch) {
  return key_of(philox(lo32(batch), hi32(batch), 0, 0, epoch_key(seed, epoch, KeyDomain::kBudget)));
}
GLS_HOST_DEVICE constexpr uint64_t order_key(uint64_t seed, uint64_t epoch) {
  return epoch_key(seed, epoch, KeyDomain::kOrder);
}

// Second counter word of a row's draws. hop < 255, edge_type < 2^24.
GLS_HOST_DEVICE constexpr uint32_t row_word(uint32_t hop, uint32_t edge_type) {
  return (edge_type << 8) | hop;
}
inline constexpr uint32_t kMaxHops = 255;
inline constexpr uint32_t kMaxEdgeTypes = 1u << 24;

// Rows up to this degree use 32-bit draws, so that the relative bias of a pick stays below 2^-16.
inline constexpr uint64_t kSmallDegree = 65536;

GLS_HOST_DEVICE constexpr uint64_t mul_high64(uint64_t a, uint64_t b) {
#if defined(__CUDA_ARCH__)
  return __umul64hi(a, b);
#else
  return static_cast<uint64_t>((static_cast<unsigned __int128>(a) * b) >> 64);
#endif
}

// The draws of one row, one at a time. Stores the last block, since draws are mostly read in order.
class RowDraws {
 public:
  GLS_HOST_DEVICE constexpr RowDraws(uint64_t key, uint32_t row_word, uint64_t node)
      : key_(key), node_(node), row_word_(row_word) {}

  GLS_HOST_DEVICE constexpr uint32_t u32(uint32_t j) {
    load(j / 4);
    return word(j % 4);
  }
  GLS_HOST_DEVICE constexpr uint64_t u64(uint32_t j) {
    load(j / 2);
    const uint32_t at = 2 * (j % 2);
    return word(at) | (uint64_t{word(at + 1)} << 32);
  }
  // Uniform on 0 .. n-1; the `degree` of the row selects the width of the draw.
  GLS_HOST_DEVICE constexpr uint64_t below(uint32_t j, uint64_t n, uint64_t degree) {
    return degree <= kSmallDegree ? (uint64_t{u32(j)} * n) >> 32 : mul_high64(u64(j), n);
  }
  // Uniform on [0, 1) with 53 bits.
  GLS_HOST_DEVICE constexpr double unit(uint32_t j) { return unit_of(u64(j)); }
  GLS_HOST_DEVICE static constexpr double unit_of(uint64_t bits) {
    return static_cast<double>(bits >> 11) * 0x1.0p-53;
  }

 private:
  GLS_HOST_DEVICE constexpr uint32_t word(uint32_t at) const {
#if defined(__CUDA_ARCH__)
    // An array with a variable index would be in memory instead of registers.
    const uint32_t low = at % 2 == 0 ? words_.w[0] : words_.w[1];
    const uint32_t high = at % 2 == 0 ? words_.w[2] : words_.w[3];
    return at < 2 ? low : high;
#else
    return words_.w[at];
#endif
  }
  GLS_HOST_DEVICE constexpr void load(uint32_t block) {
    if (block != block_) {
      words_ = philox(block, row_word_, lo32(node_), hi32(node_), key_);
      block_ = block;
    }
  }

  uint64_t key_;
  uint64_t node_;
  uint32_t row_word_;
  uint32_t block_ = 0xffffffffu;
  PhiloxWords words_{};
};

}  // namespace gls
