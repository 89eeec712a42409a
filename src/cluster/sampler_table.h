// The samplers that clients of a server opened.
#pragma once

#include "cluster/opened_table.h"
#include "cluster/part.h"

namespace gls {

using SamplerTable = OpenedTable<PartSampler>;

}  // namespace gls
