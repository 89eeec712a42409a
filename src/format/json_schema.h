// Converts between JSON and FlatBuffers, as a binary FlatBuffers schema describes. The text is
// checked against the schema field by field, so errors name the place
// ("node_types[0].columns[2].dtype"). Only FlatBuffers' headers are needed; its own JSON parser
// would be one more library to ship.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace gls {

// The buffer's root is the schema's root type. `file` is for messages.
Result<std::vector<uint8_t>> json_to_flatbuffer(std::string_view text,
                                                std::span<const uint8_t> schema,
                                                std::string_view file);

// The inverse; `buffer` must be valid. Fields come in the order of their declaration.
std::string flatbuffer_to_json(std::span<const uint8_t> buffer, std::span<const uint8_t> schema);

}  // namespace gls
