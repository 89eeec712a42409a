#include "base/checksum.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/text.h"

namespace gls {

struct alignas(64) Checksum::State {
  XXH3_state_t xxh;
};

Checksum::Checksum() : state_(std::make_unique<State>()) { XXH3_64bits_reset(&state_->xxh); }
Checksum::~Checksum() = default;
Checksum::Checksum(Checksum&&) noexcept = default;
Checksum& Checksum::operator=(Checksum&&) noexcept = default;

void Checksum::update(std::span<const std::byte> bytes) {
  XXH3_64bits_update(&state_->xxh, bytes.data(), bytes.size());
}

uint64_t Checksum::digest() const { return XXH3_64bits_digest(&state_->xxh); }
std::string Checksum::hex() const { return hex64(digest()); }

uint64_t hash64(std::span<const std::byte> bytes, uint64_t seed) {
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
}

std::string hex64(uint64_t value) { return formatted("{:016x}", value); }

}  // namespace gls
