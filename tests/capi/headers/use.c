/* Compiled as every language gls.h promises to be: includes it twice and uses what only a use shows
 * to be right, such as the initialisers. */
#if defined(BEFORE)
#include BEFORE
#endif
#include <gls.h>
#if defined(AFTER)
#include AFTER
#endif
#if defined(__cplusplus)
#include <gls.hpp>
#endif

extern int gls_use(const gls_tensor_t *tensor, gls_status_t status);

int gls_use(const gls_tensor_t *tensor, gls_status_t status) {
  const gls_context_options_t context = GLS_CONTEXT_OPTIONS_INIT;
  const gls_dataset_options_t dataset = GLS_DATASET_OPTIONS_INIT;
  const gls_verify_options_t verify = GLS_VERIFY_OPTIONS_INIT;
  const gls_write_options_t write = GLS_WRITE_OPTIONS_INIT;
  const gls_node_type_options_t node = GLS_NODE_TYPE_OPTIONS_INIT;
  const gls_edge_type_options_t edge = GLS_EDGE_TYPE_OPTIONS_INIT;
  const gls_text_options_t text = GLS_TEXT_OPTIONS_INIT;
  const gls_sampler_options_t sampler = GLS_SAMPLER_OPTIONS_INIT;
  const gls_sample_request_t request = GLS_SAMPLE_REQUEST_INIT;
  const gls_loader_options_t loader = GLS_LOADER_OPTIONS_INIT;
  const uint32_t flags = GLS_SAMPLE_EDGE_IDS | GLS_SAMPLE_DISJOINT;
  const size_t sizes = context.struct_size + dataset.struct_size + verify.struct_size +
                       write.struct_size + node.struct_size + edge.struct_size + text.struct_size +
                       sampler.struct_size + request.struct_size + loader.struct_size;
  return status == GLS_OK && sizes > flags && tensor->version.major == 1 &&
         (tensor->flags & DLPACK_FLAG_BITMASK_READ_ONLY) == 0 && tensor->dl_tensor.ndim > 0 &&
         GLS_VERSION >= 1000;
}
