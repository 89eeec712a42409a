#include "ingest/tables/table_files.h"

#include <algorithm>
#include <array>

#include "base/utf8.h"
#include "ingest/tables/tables_plugin.h"

namespace gls {
namespace {

std::vector<const char*> pointers(const std::vector<std::string>& texts) {
  std::vector<const char*> out(texts.size());
  std::transform(texts.begin(), texts.end(), out.begin(),
                 [](const std::string& text) { return text.c_str(); });
  return out;
}

gls_status_t code_of(TablesOutcome outcome) {
  switch (outcome) {
    case TablesOutcome::kNotFound:
      return GLS_ERR_NOT_FOUND;
    case TablesOutcome::kIo:
      return GLS_ERR_IO;
    case TablesOutcome::kCorrupt:
      return GLS_ERR_CORRUPT_DATA;
    case TablesOutcome::kUnsupported:
      return GLS_ERR_UNSUPPORTED;
    default:
      return GLS_ERR_INVALID_ARGUMENT;
  }
}

}  // namespace

Status open_table_files(const TableFiles& files, ArrowArrayStream* out) {
  if (files.paths.empty()) {
    return invalid("paths: there is none").with("argument", "paths");
  }
  GLS_ASSIGN(const PluginHeader* const header, load_plugin("tables", kTablesInterface));
  const auto* const plugin = reinterpret_cast<const TablesPlugin*>(header);
  const std::vector<const char*> paths = pointers(files.paths);
  const std::vector<const char*> fields = pointers(files.fields);
  const TableRequest request = {paths.data(),  paths.size(),  fields.data(),
                                fields.size(), files.threads, 0};
  std::array<char, 2048> message{};
  ArrowArrayStream opened{};
  const TablesOutcome outcome = plugin->open(&request, &opened, message.data(), message.size());
  if (outcome != TablesOutcome::kDone) {
    const std::string_view said = message.data();
    return Status(code_of(outcome), std::string(said.substr(0, utf8_prefix(said))))
        .with("argument", "paths");
  }
  *out = opened;
  return {};
}

}  // namespace gls
