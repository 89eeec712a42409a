#include "ingest/formats/export.h"

#include "ingest/formats/formats_call.h"

namespace gls {

Status export_dataset(const Export& asked, const DatasetCalls& calls,
                      const gls_dataset_t* dataset) {
  const std::vector<const char*> choices = text_pointers(asked.choices);
  const ExportRequest request = {asked.format.c_str(), asked.path.c_str(),      choices.data(),
                                 choices.size(),       asked.overwrite ? 1 : 0, 0,
                                 asked.progress,       asked.progress_user_data};
  return call_formats_plugin([&](const FormatsPlugin& plugin, const PluginMessage& message) {
    return plugin.export_dataset(&request, &calls, dataset, message);
  });
}

}  // namespace gls
