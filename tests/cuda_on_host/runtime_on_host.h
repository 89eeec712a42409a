// What the files of the emulated runtime share.
#pragma once

#include <cstddef>

#include "cuda_runtime.h"

namespace gls::cuda_on_host {

inline constexpr int kDevices = 8;

// That of an environment variable, where a test may ask something of this runtime that it could ask
// of no GPU.
size_t number(const char* variable, size_t otherwise);
int device_count();
// The device that calls of this thread go to. It has a context from now on.
int here();
// Whether this is the child of a process that had used the runtime by then.
bool forked();
// A call that a child must not make, for what it has is the parent's.
void not_in_child(const char* call);
// Ends what is being captured, where this thread's calls may not meet it; then that is the error.
cudaError_t unsafe();
// The host has waited. Everything that was worked on is closed to it, and pools give back
// what they keep too much.
void waited();

}  // namespace gls::cuda_on_host
