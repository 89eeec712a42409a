// Merges parts of a graph back into the whole graph, and verifies parts.
#pragma once

#include <memory>
#include <string>

#include "base/progress.h"
#include "context/context.h"

namespace gls {

struct MergeOptions {
  bool overwrite = false;
  Progress progress;
};

// Writes the dataset that was partitioned, as saving it would.
Status merge_parts(const std::shared_ptr<Context>& context, const std::string& path,
                   const std::string& out, const MergeOptions& options);

// Verifies each part. It also checks that every node is owned once, as the book says, and that
// owned data make up the whole graph. All other data in a part must equal those of their owner.
Status verify_parts(const std::shared_ptr<Context>& context, const std::string& path,
                    const Progress& progress);

}  // namespace gls
