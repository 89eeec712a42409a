// What was probably meant by words of the command line that nothing takes.
#pragma once

#include <CLI/App.hpp>
#include <string>

namespace gls::tool {

// To follow the message about a command line that could not be parsed; empty where nothing is
// similar to what is left over.
std::string suggestion(const CLI::App& app);

}  // namespace gls::tool
