// Blocks: the layers of a model, where each layer is computed from the nodes of one more hop. See
// docs/contract.md, section 3, "Blocks".
#pragma once

#include <cstddef>
#include <cstdint>

#include "sample/batch/batch.h"

namespace gls {

enum class BlockArray : uint8_t {
  kSrcNode = 0,  // of a node type
  kDstNode = 1,
  kSrc = 2,  // of an edge type
  kDst = 3,
  kIndptr = 4,
  kEdge = 5
};

// `type` is a node type or an edge type, as the array requires. All arrays but kIndptr are views of
// the batch's arrays. Undefined where the batch has no edge ids.
Result<Tensor> block_array(const Batch& batch, size_t layer, BlockArray array, size_t type);

}  // namespace gls
