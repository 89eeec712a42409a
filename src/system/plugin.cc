#include "system/plugin.h"

#include <dlfcn.h>
#include <gls.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <vector>

#include "base/text.h"

namespace gls {
namespace {

// The folder of the library (or program) that contains this code.
std::string own_folder() {
  static const char marker = 0;
  Dl_info info;
  if (dladdr(&marker, &info) == 0 || info.dli_fname == nullptr) {
    return ".";
  }
  std::error_code ec;
  const std::filesystem::path path = std::filesystem::canonical(info.dli_fname, ec);
  return ec ? "." : path.parent_path().string();
}

std::vector<std::string> plugin_folders() {
  std::vector<std::string> out;
  if (const char* path = std::getenv("GLS_PLUGIN_PATH"); path != nullptr) {
    std::string_view rest = path;
    while (!rest.empty()) {
      const size_t end = std::min(rest.find(':'), rest.size());
      if (end > 0) {
        out.emplace_back(rest.substr(0, end));
      }
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
  out.push_back(own_folder());
  out.push_back(out.back() + "/gls");
  if (*kPluginFolder != '\0') {
    out.emplace_back(kPluginFolder);
  }
  return out;
}

std::string version_text() {
  return formatted("{}.{}.{}", GLS_VERSION_MAJOR, GLS_VERSION_MINOR, GLS_VERSION_PATCH);
}

Result<const PluginHeader*> load(const std::string& name, uint32_t interface_version) {
  const std::string file = formatted("libgls_{}.so", name);
  std::string looked;
  for (const std::string& folder : plugin_folders()) {
    const std::string path = formatted("{}/{}", folder, file);
    looked += looked.empty() ? folder : ", " + folder;
    std::error_code ec;
    if (!std::filesystem::exists(path, ec)) {
      continue;
    }
    void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
      const char* const why = dlerror();
      return error(GLS_ERR_UNSUPPORTED, "{} cannot be loaded: {}", path,
                   why != nullptr ? why : "no reason given")
          .with("file", path);
    }
    const auto* const header = static_cast<const PluginHeader*>(dlsym(library, "gls_plugin"));
    if (header == nullptr) {
      return error(GLS_ERR_UNSUPPORTED, "{} is no plugin of GLS: it has no gls_plugin", path)
          .with("file", path);
    }
    if (header->library_version != version_text() ||
        header->interface_version != interface_version) {
      return error(GLS_ERR_UNSUPPORTED,
                   "{} is of GLS {} with interface {}, expected {} with interface {}", path,
                   header->library_version, header->interface_version, version_text(),
                   interface_version)
          .with("file", path);
    }
    return header;
  }
  return error(GLS_ERR_UNSUPPORTED,
               "{} was not found in {}; install the part \"{}\" of GLS, or name its folder in "
               "GLS_PLUGIN_PATH",
               file, looked, name)
      .with("plugin", name);
}

}  // namespace

Result<const PluginHeader*> load_plugin(std::string_view name, uint32_t interface_version) {
  static std::mutex mutex;
  static std::map<std::string, const PluginHeader*, std::less<>> loaded;
  const std::lock_guard lock(mutex);
  if (const auto found = loaded.find(name); found != loaded.end()) {
    return found->second;
  }
  std::string key(name);
  GLS_ASSIGN(const PluginHeader* const header, load(key, interface_version));
  loaded.emplace(std::move(key), header);
  return header;
}

}  // namespace gls
