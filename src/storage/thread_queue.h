// The queue that calls pread() and pwrite() on threads of its own.
#pragma once

#include "storage/io_queue.h"

namespace gls {

Result<std::unique_ptr<IoQueue>> open_thread_queue(const IoOptions& options);

}  // namespace gls
