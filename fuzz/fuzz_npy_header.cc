// The header of .npy files, alone and as the start of a mapped file.
#include <numeric>

#include "format/npy.h"
#include "input.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace gls;
  const auto* const bytes = reinterpret_cast<const std::byte*>(data);
  Result<NpyHeader> header = parse_npy_header({bytes, size}, "input");
  if (!header.ok()) {
    fuzz::claim_error(header.status());
    return 0;
  }
  CLAIM(header->data_offset <= size);
  CLAIM(dtype_supported(header->dtype));
  // A written header reads back the same.
  const std::string written = make_npy_header(header->dtype, header->shape);
  CLAIM(written.size() % 64 == 0);
  Result<NpyHeader> again =
      parse_npy_header(std::as_bytes(std::span(written.data(), written.size())), "written");
  CLAIM(again.ok());
  CLAIM(again->shape == header->shape && same_dtype(again->dtype, header->dtype));
  CLAIM(again->data_offset == written.size());

  const fuzz::MemoryFile file({reinterpret_cast<const char*>(data), size});
  Result<Tensor> mapped = map_npy(file.path());
  if (!mapped.ok()) {
    fuzz::claim_error(mapped.status());
    return 0;
  }
  const auto* const begin = mapped->as<uint8_t>();
  volatile uint32_t sum = std::accumulate(begin, begin + mapped->span_bytes(), 0u);
  (void)sum;
  return 0;
}
