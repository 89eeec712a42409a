// What the stand-in for libcufile says of itself to tests, beside the calls of cuFile, and what
// they tell it.
#pragma once

#include <cstdint>

struct CufileOnHost {
  // There now.
  uint64_t files = 0;
  uint64_t buffers = 0;
  uint64_t batches = 0;
  // Since it was loaded.
  uint64_t opened = 0;
  uint64_t reads = 0;
  uint64_t bytes = 0;
  uint64_t most_in_flight = 0;  // reads
  uint64_t most_buffers = 0;
};

extern "C" {
__attribute__((visibility("default"))) void cufile_on_host(CufileOnHost* out);
// From now on one call fails: open, register, buffer, setup (there is no memory), batch (the same
// call, for another reason), submit (with half of the reads under way), status (as if it were to be
// made again), wait (the same call, for good), read (each by itself, with an error), state (without
// one), pending (it has not ended), tail (a read of no whole block); or, with `short`, reads give
// half of what was asked for; or, with `later`, status is to be made again a few times; or, with
// `opened` and `forced`, others have opened it before, in its compatible mode or forced to it.
// Empty: all is well. Not by the environment, which threads may not read while it changes.
__attribute__((visibility("default"))) void cufile_on_host_fail(const char* call);
}
