// The checksum of a description file, such as manifest.json. The last member of its object, `xxh3`,
// is the XXH3-64 of every byte before that member.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"

namespace gls {

// `text` is an object that is indented by two spaces and ends in "\n}\n".
std::string seal_json(std::string text);

// `xxh3` is the member as it was parsed. Empty: the file has none, and nothing is checked.
Status check_seal(std::string_view text, std::string_view xxh3, std::string_view file);

}  // namespace gls
