// Puts the arrays of a graph together again from its parts, one after another.
#pragma once

#include "base/progress.h"
#include "format/dataset_writer.h"
#include "graph/folder/open_parts.h"

namespace gls {

// Writes every array of the whole to `writer`, which may be one that only measures, and compares
// each with what the partition says of it. The owners must be checked before.
Status reassemble(const OpenParts& parts, DatasetWriter& writer, const Progress& progress);

}  // namespace gls
