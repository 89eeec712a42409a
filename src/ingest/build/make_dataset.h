// The two results of a builder: a dataset in memory, or a dataset folder.
#pragma once

#include <memory>
#include <string>

#include "graph/dataset/dataset.h"
#include "ingest/build/builder.h"
#include "ingest/build/builder_inputs.h"

namespace gls {

Result<std::shared_ptr<const Dataset>> build_dataset(std::shared_ptr<Context> context,
                                                     const BuilderInputs& parts,
                                                     const BuildOptions& options);

Status write_dataset(Context& context, const BuilderInputs& parts, const std::string& path,
                     const BuildOptions& options);

// Checks for both results.
Status check_build(const BuilderInputs& parts, const BuildOptions& options);

}  // namespace gls
