// What a GPU's memory gives at most: plain kernels that read at random and do nothing else. Each is
// queued on a stream (a cudaStream_t) of the device; false: CUDA refused it.
#pragma once

#include <cstdint>

namespace gls::bench {

// `reads` words of 4 bytes, each in a sector of 32 bytes of its own, anywhere in `bytes` of memory.
// `sink` has room for a word, which keeps the compiler from leaving the reads out.
bool random_reads(int device, const void* memory, uint64_t bytes, uint64_t reads, uint64_t salt,
                  uint32_t* sink, void* stream);

// `count` rows of a power of two of bytes, at least 16, anywhere among `rows`, one after the other
// into `out`: no ids are read, and nothing is checked.
bool random_rows(int device, const void* memory, uint64_t rows, uint64_t row_bytes, uint64_t count,
                 uint64_t salt, void* out, void* stream);

// Writes numbers that look random to a multiple of 8 bytes: what nobody has written may be read in
// less time.
bool fill(int device, uint64_t bytes, uint64_t salt, void* memory, void* stream);

// A multiple of 16 bytes.
bool plain_copy(int device, const void* from, uint64_t bytes, void* to, void* stream);

}  // namespace gls::bench
