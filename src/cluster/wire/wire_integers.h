// Numbers of messages. What verifies a message looks at where a vector begins, and not at its
// elements: those of 8 bytes may lie at any multiple of 4, where they are not to be read as such.
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
