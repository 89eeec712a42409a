// The user's own stage of a loader: gls_transform_fn.
#pragma once

#include <gls.h>

#include <memory>
#include <utility>

#include "base/status.h"
#include "capi/support/support.h"
#include "sample/batch/batch.h"

namespace gls::capi {

class Transform {
 public:
  Transform(gls_transform_fn function, void* user_data) noexcept
      : function_(function), user_data_(user_data) {}

  // From now on the user data are destroyed at the end.
  void take(UserData owned) noexcept { owned_ = std::move(owned); }
  // For any number of batches at once. An error names the batch.
  Status run(const std::shared_ptr<Batch>& batch) const;

 private:
  const gls_transform_fn function_;
  void* const user_data_;
  UserData owned_;
};

}  // namespace gls::capi
