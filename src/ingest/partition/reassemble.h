// Reassembles the arrays of a graph from its parts, one array after another.
#pragma once

#include "base/progress.h"
#include "format/dataset_writer.h"
#include "graph/folder/open_parts.h"

namespace gls {

// Writes every array of the whole graph to `writer`, which may be a measuring one. Compares each
// with its description in the partition. The owners must have been checked before.
Status reassemble(const OpenParts& parts, DatasetWriter& writer, const Progress& progress);

}  // namespace gls
