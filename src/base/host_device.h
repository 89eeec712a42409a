// Marks functions for both CPUs and GPUs.
#pragma once

// Always inlined. Files compiled for wider instruction sets include these functions, too, and the
// linker must not use such a copy for all callers.
#if defined(__CUDACC__)
#define GLS_HOST_DEVICE __host__ __device__ __forceinline__
#else
#define GLS_HOST_DEVICE __attribute__((always_inline)) inline
#endif
