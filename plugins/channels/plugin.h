// Code that plugins with data channels share. Each plugin is a separate library, so code outside
// headers is compiled into each.
#pragma once

#include <dlfcn.h>
#include <gls.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "net/connection/data_channel.h"

namespace gls::net {

inline void say(StreamError* error, int32_t code, const std::string& text) {
  error->code = code;
  error->text[text.copy(error->text, sizeof error->text - 1)] = 0;
}

inline std::vector<std::string> parts_of(std::string_view list) {
  std::vector<std::string> out;
  while (!list.empty()) {
    const size_t end = std::min(list.find(','), list.size());
    out.emplace_back(list.substr(0, end));
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return out;
}

inline bool has_rdma(const std::string& device) {
  return ::access(("/sys/class/infiniband/" + device).c_str(), F_OK) == 0;
}

// Whether the system has this network interface or RDMA device.
inline bool has_interface(const std::string& name) {
  return !name.empty() && name.find('/') == std::string::npos && name.front() != '.' &&
         (::access(("/sys/class/net/" + name).c_str(), F_OK) == 0 || has_rdma(name));
}

inline std::string no_interface(const std::string& name) {
  return "net.data_devices: there is no interface \"" + name + "\"";
}

// An optional library, opened at first use and never closed.
class LateLibrary {
 public:
  // `what` names the library for people.
  bool open(const char* file, const char* what, std::string* why) {
    file_ = file;
    handle_ = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (handle_ == nullptr) {
      const char* const reason = dlerror();
      *why = std::string(what) + " cannot be loaded: " + (reason != nullptr ? reason : file);
    }
    return handle_ != nullptr;
  }
  template <typename Function>
  bool find(const char* name, Function* function, std::string* why) {
    *function = reinterpret_cast<Function>(dlsym(handle_, name));
    if (*function == nullptr) {
      *why = std::string(file_) + " has no " + name;
    }
    return *function != nullptr;
  }

 private:
  const char* file_ = nullptr;
  void* handle_ = nullptr;
};

}  // namespace gls::net

#define GLS_TEXT_(value) #value
#define GLS_TEXT(value) GLS_TEXT_(value)

// Defines the export of the plugin; `create` is that of ChannelPlugin.
#define GLS_EXPORT_LANES(create)                                                                 \
  extern "C" __attribute__((visibility("default"))) const gls::net::ChannelPlugin gls_plugin;    \
  const gls::net::ChannelPlugin gls_plugin = {                                                   \
      {gls::net::kChannelPluginVersion, GLS_TEXT(GLS_VERSION_MAJOR) "." GLS_TEXT(                \
                                            GLS_VERSION_MINOR) "." GLS_TEXT(GLS_VERSION_PATCH)}, \
      create}
