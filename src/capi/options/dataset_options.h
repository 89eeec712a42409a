// Reads the options of the C ABI for opening dataset folders.
#pragma once

#include <gls.h>

#include "base/status.h"
#include "graph/folder/dataset_folder.h"

namespace gls::capi {

// `given` may be null.
Result<OpenOptions> read_dataset_options(const gls_dataset_options_t* given, const char* name);

}  // namespace gls::capi
