// Suggests what unknown words on the command line probably meant.
#pragma once

#include <CLI/App.hpp>
#include <string>

namespace gls::tool {

// Follows the error about a command line that could not be parsed; empty if nothing is similar.
std::string suggestion(const CLI::App& app);

}  // namespace gls::tool
