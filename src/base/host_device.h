// Functions for processors and GPUs alike.
#pragma once

// Always inlined: files compiled for wider instruction sets include these too, and a copy of a
// function compiled there must not be the one the linker keeps for everybody.
#if defined(__CUDACC__)
#define GLS_HOST_DEVICE __host__ __device__ __forceinline__
#else
#define GLS_HOST_DEVICE __attribute__((always_inline)) inline
#endif
