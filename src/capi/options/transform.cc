#include "capi/options/transform.h"

#include <array>
#include <string>

namespace gls::capi {

Status Transform::run(const std::shared_ptr<Batch>& batch) const {
  constexpr size_t kMessage = 1024;
  std::array<char, kMessage> message{};
  gls_batch handle{batch, batch.get()};
  gls_status_t status = function_(&handle, user_data_, message.data(), message.size());
  if (status == GLS_OK) {
    return {};
  }
  message.back() = '\0';
  std::string text = message.data();
  if (status > 0 || status < GLS_ERR_INTERNAL) {
    text =
        formatted("it returned {}, which is no error{}{}", status, text.empty() ? "" : ": ", text);
    status = GLS_ERR_INVALID_ARGUMENT;
  }
  return error(status, "transform of batch {} of epoch {}: {}", batch->number, batch->epoch,
               text.empty() ? std::string(gls_status_name(status)) : text)
      .with("epoch", std::to_string(batch->epoch))
      .with("batch", std::to_string(batch->number));
}

}  // namespace gls::capi
