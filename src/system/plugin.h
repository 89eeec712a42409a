// Optional parts of the library: shared libraries of their own, `libgls_NAME.so`, loaded when first
// asked for.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"

namespace gls {

// What a plugin exports, as `gls_plugin`: a C struct that begins with this. Built with the library,
// for it alone.
struct PluginHeader {
  uint32_t interface_version;  // of the struct, by name of the plugin
  const char* library_version;
};

// Where a library that is within a program has its plugins installed (GLS_STATIC); else empty. Made
// by CMake.
extern const char* const kPluginFolder;

// The plugin's struct; it stays loaded. Looked for in each folder of GLS_PLUGIN_PATH, then beside
// the library, then in the folder "gls" there, and in kPluginFolder. An error says where it was
// looked for and what to install.
Result<const PluginHeader*> load_plugin(std::string_view name, uint32_t interface_version);

}  // namespace gls
