// Prints errors for people and as JSON.
#pragma once

#include <exception>
#include <string>

#include "session.h"

namespace gls::tool {

// One line on standard error.
void print_error(const std::string& message);
// {"status", "message"} and the details of the error.
Json error_json(const std::exception& error);

}  // namespace gls::tool
