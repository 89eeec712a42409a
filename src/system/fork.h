// Notices a fork. Threads do not survive one, so objects made before it are unusable in the child.
#pragma once

#include <cstdint>

namespace gls {

// Grows by one in every forked child; objects remember the value they were made under.
uint32_t fork_generation();

}  // namespace gls
