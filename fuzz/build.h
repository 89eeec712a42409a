// Builds a dataset of what a fuzz target added, and verifies it.
#pragma once

#include <memory>

#include "graph/folder/verify.h"
#include "ingest/build/builder.h"
#include "input.h"

namespace gls::fuzz {

// NULL: the input is an error, which was checked.
inline std::shared_ptr<const Dataset> build_verified(Builder& builder) {
  BuildOptions options;
  options.csr = true;
  options.memory = uint64_t{64} << 20;
  Result<std::shared_ptr<const Dataset>> dataset = builder.build(options);
  if (!dataset.ok()) {
    claim_error(dataset.status());
    return nullptr;
  }
  const Status verified = verify_dataset(**dataset, {});
  CLAIM(verified.ok());
  return dataset.take();
}

}  // namespace gls::fuzz
