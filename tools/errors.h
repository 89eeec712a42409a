// Failures as people and machines see them.
#pragma once

#include <exception>
#include <string>

#include "session.h"

namespace gls::tool {

// One line on standard error.
void print_error(const std::string& message);
// {"status", "message"} and the details there are.
Json error_json(const std::exception& error);

}  // namespace gls::tool
