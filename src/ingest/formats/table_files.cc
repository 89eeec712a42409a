#include "ingest/formats/table_files.h"

#include "ingest/formats/formats_call.h"

namespace gls {

Status open_table_files(const TableFiles& files, ArrowArrayStream* out) {
  if (files.paths.empty()) {
    return invalid("paths: there is none").with("argument", "paths");
  }
  const std::vector<const char*> paths = text_pointers(files.paths);
  const std::vector<const char*> fields = text_pointers(files.fields);
  const TableRequest request = {paths.data(),  paths.size(),  fields.data(),
                                fields.size(), files.threads, 0};
  ArrowArrayStream opened{};
  Status status =
      call_formats_plugin([&](const FormatsPlugin& plugin, const PluginMessage& message) {
        return plugin.open_tables(&request, &opened, message);
      });
  if (!status.ok()) {
    return std::move(status).with("argument", "paths");
  }
  *out = opened;
  return {};
}

}  // namespace gls
