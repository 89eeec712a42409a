// Detects a fork. Threads do not survive it, so objects made before it are unusable in the child.
#pragma once

#include <cstdint>

namespace gls {

// Grows by one in every forked child; objects store the value at their creation.
uint32_t fork_generation();

}  // namespace gls
