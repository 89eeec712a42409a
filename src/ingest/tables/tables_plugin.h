// The struct that the plugin "tables" exports as `gls_plugin`. C types only;
// plugins/tables/src/lib.rs declares the same structs.
#pragma once

#include <gls.h>

#include <cstddef>
#include <cstdint>

#include "system/plugin.h"

namespace gls {

inline constexpr uint32_t kTablesInterface = 1;

// The files to read, and how. All text is UTF-8 with a NUL.
struct TableRequest {
  const char* const* paths;  // files, folders, or patterns with *, ? and [...]
  size_t num_paths;
  const char* const* fields;  // those to read, in this order; none: all
  size_t num_fields;
  uint32_t threads;  // that decode, at least 1
  uint32_t reserved;
};

enum class TablesOutcome : int32_t {
  kDone = 0,
  kNotFound = 1,
  kIo = 2,
  kCorrupt = 3,
  kUnsupported = 4,
  kInvalid = 5
};

struct TablesPlugin {
  PluginHeader header;
  // Opens the files and reads their schemas. On failure `message` has the words, cut to `capacity`
  // bytes with the NUL. From any thread. Nothing is thrown.
  TablesOutcome (*open)(const TableRequest* request, ArrowArrayStream* out, char* message,
                        size_t capacity);
};

}  // namespace gls
