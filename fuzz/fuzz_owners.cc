// Files of owners, as text and as arrays. The first byte chooses the format and the number of
// nodes.
#include <fstream>

#include "ingest/assign/assign_nodes.h"
#include "ingest/common/owner_tensor.h"
#include "input.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace gls;
  fuzz::Input input(data, size);
  const uint8_t first = input.byte();
  const uint32_t parts = (first & 2) != 0 ? 300 : 4;
  NodeType type;
  type.name = "node";
  type.count = first >> 2;
  // The suffix of the name identifies arrays.
  static fuzz::TempFolder folder;
  static const std::string paths[] = {folder.file(0) + ".txt", folder.file(1) + ".npy"};
  const std::string& path = paths[first & 1];
  const std::string_view rest = input.rest();
  std::ofstream file(path, std::ios::binary);
  file.write(rest.data(), static_cast<std::streamsize>(rest.size()));
  file.close();
  CLAIM(file.good());
  Result<Tensor> owners = read_owners_of(type, parts, path);
  if (!owners.ok()) {
    fuzz::claim_error(owners.status());
    return 0;
  }
  CLAIM(owners->rows() == type.count);
  const OwnerSpan span(*owners);
  for (int64_t i = 0; i < type.count; ++i) {
    CLAIM(span[i] < parts);
  }
  return 0;
}
