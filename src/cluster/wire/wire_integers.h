// Reads integers from messages. The FlatBuffers verifier checks where a vector begins, but not its
// elements. Integers of 8 bytes may therefore lie at a multiple of 4, where a direct read is not
// allowed.
#pragma once

#include <flatbuffers/flatbuffers.h>

#include <cstring>
#include <type_traits>
#include <vector>

namespace gls::cluster {

template <typename T>
std::vector<T> numbers_in(const flatbuffers::Vector<T>& vector) {
  static_assert(std::is_arithmetic_v<T>);
  std::vector<T> out(vector.size());
  if (!out.empty()) {
    std::memcpy(out.data(), vector.Data(), out.size() * sizeof(T));
  }
  return out;
}

}  // namespace gls::cluster
