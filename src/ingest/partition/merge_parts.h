// From parts of a graph back to the whole, and the proof that they are it.
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

// Writes the dataset that was cut, as saving it would.
Status merge_parts(const std::shared_ptr<Context>& context, const std::string& path,
                   const std::string& out, const MergeOptions& options);

// Verifies each part, that every node is owned once and as the book says, that what is owned makes
// up the whole, and that all else in a part is as its owner has it.
Status verify_parts(const std::shared_ptr<Context>& context, const std::string& path,
                    const Progress& progress);

}  // namespace gls
