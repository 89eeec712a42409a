// Starts kernels: launch(kernel, Grid{blocks, threads, shared_bytes, stream}, arguments...).
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <tuple>

namespace gls::cuda {

struct Grid {
  unsigned blocks = 1;
  unsigned threads = 1;
  size_t shared_bytes = 0;
  cudaStream_t stream = nullptr;
};

#if defined(GLS_CUDA_ON_HOST)
template <typename... Params, typename... Args>
cudaError_t launch(void (*kernel)(Params...), const Grid& grid, const Args&... args) {
  if (!cuda_on_host::is_current(grid.stream)) {
    return cudaErrorInvalidResourceHandle;
  }
  const auto call = [kernel, values = std::tuple<Params...>(args...)] {
    std::apply(kernel, values);
  };
  return cuda_on_host::run(
      __PRETTY_FUNCTION__, grid.blocks, grid.threads, grid.shared_bytes,
      [](const void* context) { (*static_cast<const decltype(call)*>(context))(); }, &call);
}
#else
template <typename... Params, typename... Args>
cudaError_t launch(void (*kernel)(Params...), const Grid& grid, const Args&... args) {
  std::tuple<Params...> values(args...);
  return std::apply(
      [&](auto&... value) {
        void* pointers[] = {&value..., nullptr};
        return cudaLaunchKernel(reinterpret_cast<const void*>(kernel), dim3(grid.blocks),
                                dim3(grid.threads), pointers, grid.shared_bytes, grid.stream);
      },
      values);
}
#endif

}  // namespace gls::cuda
