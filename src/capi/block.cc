#include "sample/batch/block.h"

#include "capi/support/support.h"

using gls::Status;
using gls::capi::guard;

extern "C" {

gls_status_t gls_batch_block_tensor(const gls_batch_t* batch, uint64_t layer,
                                    gls_block_array_t array, const char* type, gls_tensor_t** out,
                                    gls_error_t** err) {
  return guard(err, [&]() -> Status {
    GLS_USE(batch);
    GLS_REQUIRE(out);
    const gls::Batch& impl = *batch->impl;
    GLS_TRY(gls::capi::check_enum(array, GLS_BLOCK_EDGE, "array"));
    const bool of_nodes = array == GLS_BLOCK_SRC_NODE || array == GLS_BLOCK_DST_NODE;
    size_t index = 0;
    if (of_nodes) {
      GLS_ASSIGN(index, impl.dataset->node_type_index(type));
    } else {
      GLS_ASSIGN(index, impl.dataset->edge_type_index(type));
    }
    GLS_ASSIGN(const gls::Tensor tensor,
               gls::block_array(impl, layer, static_cast<gls::BlockArray>(array), index));
    if (!tensor.defined()) {
      return gls::not_found("the batch has no edge ids: GLS_SAMPLE_EDGE_IDS was not set")
          .with("argument", "array");
    }
    *out = tensor.export_dlpack();
    return {};
  });
}

}  // extern "C"
