// The user's own stage of a loader: gls_transform_fn.
#pragma once

#include <gls.h>

#include <memory>

#include "base/status.h"
#include "sample/batch/batch.h"

namespace gls::capi {

class Transform {
 public:
  Transform() = default;
  ~Transform();
  Transform(const Transform&) = delete;
  Transform& operator=(const Transform&) = delete;

  // From now on the user data are destroyed at the end. Must be called before run().
  void arm(gls_transform_fn function, void* user_data, gls_destroy_fn release) noexcept;
  // For any number of batches at once. An error names the batch.
  Status run(const std::shared_ptr<Batch>& batch) const;

 private:
  gls_transform_fn function_ = nullptr;
  void* user_data_ = nullptr;
  gls_destroy_fn release_ = nullptr;
};

}  // namespace gls::capi
