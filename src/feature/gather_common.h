// The gather loop around a row copier. It has internal linkage, so that each instruction set has
// its own copy; see sample/kernels/kernels.h.
#pragma once

#include <cstdint>

#include "feature/gather_kernels.h"

namespace gls::kernels {
// NOLINTBEGIN(google-build-namespaces, misc-definitions-in-headers)
namespace {

// Rows are prefetched to L2, because a prefetch to L1 would hold one of its few miss slots. For
// long rows only the start is prefetched; the CPU's own prefetcher detects the rest.
constexpr int64_t kLinesAskedFor = 16;

inline void ask_for_row(const char* row, int64_t bytes) {
  const int64_t asked = bytes < 64 * kLinesAskedFor ? bytes : 64 * kLinesAskedFor;
  for (int64_t at = 0; at < asked; at += 64) {
    __builtin_prefetch(row + at, 0, 2);
  }
  __builtin_prefetch(row + asked - 1, 0, 2);  // the last line of an unaligned row
}

// Calls visit(source row) for each id.
template <typename Id, typename Visit>
inline void for_each_row(const GatherArgs& args, Visit visit) {
  const auto* ids = static_cast<const Id*>(args.ids);
  const int64_t asked = args.count < args.ahead ? args.count : args.ahead;
  for (int64_t i = 0; i < asked; ++i) {
    ask_for_row(args.rows + ids[i] * args.stride, args.row_bytes);
  }
  for (int64_t i = 0; i < args.count; ++i) {
    if (i + args.ahead < args.count) {
      ask_for_row(args.rows + ids[i + args.ahead] * args.stride, args.row_bytes);
    }
    visit(args.rows + ids[i] * args.stride);
  }
}

// Calls copy_row(source, out) for each id.
template <typename Id, typename CopyRow>
inline void gather_rows(const GatherArgs& args, int64_t out_bytes, CopyRow copy_row) {
  char* out = args.out;
  if (const int64_t* place = args.places; place != nullptr) {
    for_each_row<Id>(args, [&](const char* row) { copy_row(row, out + *place++ * out_bytes); });
    return;
  }
  for_each_row<Id>(args, [&](const char* row) {
    copy_row(row, out);
    out += out_bytes;
  });
}

// As gather_rows(), but writes that bypass the caches, for rows that are not whole cache lines.
// Rows are joined in a small buffer and written in whole lines. Writing part of a line past the
// caches costs several times a whole line. Not for rows of less than 128 bytes, which ordinary
// stores write as fast. stream(from, to, bytes) writes lines. `args.out` begins at a line, and rows
// are consecutive.
constexpr int64_t kStageBytes = 1024;
constexpr int64_t kWidestStaged = 8192;  // of an output row
template <typename Id, typename CopyRow, typename Stream>
inline void gather_staged(const GatherArgs& args, int64_t out_bytes, CopyRow copy_row,
                          Stream stream) {
  alignas(64) char stage[kStageBytes + kWidestStaged + 64];
  char* out = args.out;
  int64_t fill = 0;
  for_each_row<Id>(args, [&](const char* row) {
    copy_row(row, stage + fill);
    fill += out_bytes;
    if (fill >= kStageBytes) {
      const int64_t whole = fill / 64 * 64;
      stream(stage, out, whole);
      __builtin_memcpy(stage, stage + whole, 64);
      out += whole;
      fill -= whole;
    }
  });
  __builtin_memcpy(out, stage, static_cast<uint64_t>(fill));
}

// Rows shorter than a vector: two overlapping moves of the largest power of two that fits, without
// a loop or a tail of single bytes.
template <typename Word>
inline void copy_overlapping(const char* from, char* to, int64_t bytes) {
  Word first;
  Word last;
  __builtin_memcpy(&first, from, sizeof(Word));
  __builtin_memcpy(&last, from + bytes - sizeof(Word), sizeof(Word));
  __builtin_memcpy(to, &first, sizeof(Word));
  __builtin_memcpy(to + bytes - sizeof(Word), &last, sizeof(Word));
}

struct Word16 {
  uint64_t half[2];
};

// 1 to 31 bytes.
template <typename Id>
inline void gather_short(const GatherArgs& args) {
  const int64_t bytes = args.row_bytes;
  if (bytes == 4) {
    gather_rows<Id>(args, 4, [](const char* from, char* to) { __builtin_memcpy(to, from, 4); });
  } else if (bytes == 8) {
    gather_rows<Id>(args, 8, [](const char* from, char* to) { __builtin_memcpy(to, from, 8); });
  } else if (bytes >= 16) {
    gather_rows<Id>(args, bytes, [bytes](const char* from, char* to) {
      copy_overlapping<Word16>(from, to, bytes);
    });
  } else if (bytes > 8) {
    gather_rows<Id>(args, bytes, [bytes](const char* from, char* to) {
      copy_overlapping<uint64_t>(from, to, bytes);
    });
  } else if (bytes > 4) {
    gather_rows<Id>(args, bytes, [bytes](const char* from, char* to) {
      copy_overlapping<uint32_t>(from, to, bytes);
    });
  } else if (bytes > 1) {
    gather_rows<Id>(args, bytes, [bytes](const char* from, char* to) {
      copy_overlapping<uint16_t>(from, to, bytes);
    });
  } else {
    gather_rows<Id>(args, 1, [](const char* from, char* to) { *to = *from; });
  }
}

// Codes, with kPerByte of them in a byte, looked up a byte at a time.
template <int64_t kPerByte>
inline void decode_row(const GatherArgs& args, const char* from, char* to) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(from);
  const int64_t whole = args.row_elements / kPerByte;
  for (int64_t i = 0; i < whole; ++i) {
    __builtin_memcpy(to + 4 * kPerByte * i, args.by_byte + kPerByte * bytes[i], 4 * kPerByte);
  }
  if (kPerByte > 1 && whole * kPerByte < args.row_elements) {
    __builtin_memcpy(to + 4 * kPerByte * whole, args.by_byte + kPerByte * bytes[whole],
                     static_cast<uint64_t>(4 * (args.row_elements - kPerByte * whole)));
  }
}

}  // namespace
// NOLINTEND(google-build-namespaces, misc-definitions-in-headers)
}  // namespace gls::kernels
