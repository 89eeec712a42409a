// Calls of the plugin "formats".
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "base/utf8.h"
#include "ingest/formats/formats_plugin.h"

namespace gls {

// Texts for C; they live as long as `texts`.
inline std::vector<const char*> text_pointers(const std::vector<std::string>& texts) {
  std::vector<const char*> out(texts.size());
  std::transform(texts.begin(), texts.end(), out.begin(),
                 [](const std::string& text) { return text.c_str(); });
  return out;
}

// Runs `call(plugin, message)`, and makes a Status of its outcome.
template <typename Call>
Status call_formats_plugin(Call&& call) {
  GLS_ASSIGN(const PluginHeader* const header, load_plugin("formats", kFormatsInterface));
  const auto& plugin = *reinterpret_cast<const FormatsPlugin*>(header);
  std::array<char, 4096> words{};
  std::array<char, 4096> file{};
  const gls_status_t status =
      std::forward<Call>(call)(plugin, PluginMessage{words.data(), file.data(), words.size()});
  if (status == GLS_OK) {
    return {};
  }
  const std::string_view said = words.data();
  Status failed(status, std::string(said.substr(0, utf8_prefix(said))));
  if (file[0] != '\0') {
    failed = std::move(failed).with("file", file.data());
  }
  return failed;
}

}  // namespace gls
