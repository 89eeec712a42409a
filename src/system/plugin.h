// Plugins: optional shared libraries, `libgls_NAME.so`, loaded at first use.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"

namespace gls {

// The struct that a plugin exports as `gls_plugin` begins with this. A plugin is built together
// with the library, and works only with it.
struct PluginHeader {
  uint32_t interface_version;  // version of the struct, for the plugin's name
  const char* library_version;
};

// The folder of installed plugins for a library inside a program (GLS_STATIC); else empty. CMake
// sets it.
extern const char* const kPluginFolder;

// The plugin's struct, which stays loaded. Searches each folder of GLS_PLUGIN_PATH, then the
// library's folder, then its folder "gls", then kPluginFolder. An error lists the searched folders
// and what to install.
Result<const PluginHeader*> load_plugin(std::string_view name, uint32_t interface_version);

}  // namespace gls
