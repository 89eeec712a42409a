// The queue over io_uring. Containers often forbid its system calls: then opening it fails.
#pragma once

#include "storage/io_queue.h"

namespace gls {

Result<std::unique_ptr<IoQueue>> open_uring_queue(const IoOptions& options);

}  // namespace gls
