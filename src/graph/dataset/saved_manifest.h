// Computes the manifest that a dataset would have when saved, with all checksums, without saving
// it.
#pragma once

#include "base/progress.h"
#include "graph/dataset/dataset.h"
#include "manifest_generated.h"

namespace gls {

Result<format::ManifestT> describe_saved(const Dataset& dataset, bool pad_rows,
                                         const Progress& progress);

}  // namespace gls
