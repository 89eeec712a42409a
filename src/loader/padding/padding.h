// Pads batches to one shape: each array gets a fixed size for its type. Programs compiled for fixed
// shapes need this.
#pragma once

#include "device/device.h"
#include "loader/padding/pad_sizes.h"
#include "sample/batch/batch.h"
#include "system/memory.h"

namespace gls {

// Pads the arrays of a loader's batch, except columns, or only marks a batch that does not fit.
// Every node type needs one spare row, which padding refers to. `toward_seeds`: edges are reported
// against their direction. Arrays stay in their memory. Those of a batch sampled on a device are
// complete as far as its stream has progressed. `stream` is NULL if all arrays are on the host.
Status pad_batch(const PadSizes& sizes, bool toward_seeds, BufferPool& pool,
                 const DeviceStream* stream, Batch* batch);
// Pads existing columns on the host with zeros for the rows that pad_batch() added.
void pad_columns(BufferPool& pool, Batch* batch);

}  // namespace gls
