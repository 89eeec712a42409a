#include "ingest/partition/merge_parts.h"

#include <utility>

#include "ingest/partition/reassemble.h"

namespace gls {

Status merge_parts(const std::shared_ptr<Context>& context, const std::string& path,
                   const std::string& out, const MergeOptions& options) {
  GLS_ASSIGN(const OpenParts parts, open_parts(context, path));
  GLS_ASSIGN(DatasetWriter writer, DatasetWriter::create(out, options.overwrite));
  double bytes = 0;
  const auto add = [&](const format::ArrayT& array) {
    double size = 1;  // at least one byte each
    for (const int64_t extent : array.shape) {
      size *= static_cast<double>(extent);
    }
    bytes += size;
  };
  for (const auto& type : parts.partition->whole().node_types) {
    for (const auto& column : type->columns) {
      add(*column->array);
    }
  }
  for (const auto& type : parts.partition->whole().edge_types) {
    for (const auto* topology : {&type->csc, &type->csr}) {
      if (*topology != nullptr) {
        add(*(*topology)->indices);
      }
    }
  }
  GLS_TRY(writer.check_space(bytes));
  GLS_TRY(check_owners(parts, options.progress));
  GLS_TRY(reassemble(parts, writer, options.progress));
  for (const auto& part : parts.parts) {
    GLS_TRY(part->check_files());
  }
  format::ManifestT whole = parts.partition->whole();
  return writer.commit(std::move(whole));
}

}  // namespace gls
