// Batches of one shape: arrays are filled up to a size for each type, for programs that are
// compiled for fixed shapes.
#pragma once

#include "device/device.h"
#include "loader/padding/pad_sizes.h"
#include "sample/batch/batch.h"
#include "system/memory.h"

namespace gls {

// Fills up the arrays of a loader's batch, not columns, or only marks it where it does not fit:
// every node type needs a row to spare, to which what is added refers. `toward_seeds`: edges are
// reported against their direction. Arrays stay where they lie: those of a batch that was sampled
// on a device are complete as far as its stream has come. It is NULL where all are on the host.
Status pad_batch(const PadSizes& sizes, bool toward_seeds, BufferPool& pool,
                 const DeviceStream* stream, Batch* batch);
// Columns of the host that were there before, with zeros for the rows that it added.
void pad_columns(BufferPool& pool, Batch* batch);

}  // namespace gls
