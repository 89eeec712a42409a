#include "terminal/suggestions.h"

#include <CLI/CLI.hpp>
#include <vector>

#include "base/nearest_name.h"
#include "terminal/text.h"

namespace gls::tool {
namespace {

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> out;
  for (const CLI::Option* const option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      out.push_back("--" + name);
    }
  }
  return out;
}

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> out;
  for (const CLI::App* const command : app.get_subcommands({})) {
    out.push_back(command->get_name());
  }
  return out;
}

}  // namespace

std::string suggestion(const CLI::App& app) {
  const CLI::App* command = &app;
  while (!command->get_subcommands().empty()) {
    command = command->get_subcommands().front();
  }
  for (const std::string& word : app.remaining(true)) {
    const std::string name = word.substr(0, word.find('='));
    const bool is_option = name.starts_with("-");
    const std::string nearest =
        nearest_name(name, is_option ? option_names(*command) : command_names(*command), true);
    if (!nearest.empty()) {
      return formatted("; \"{}\" is not {}, did you mean \"{}\"?", name,
                       is_option ? "an option" : "a command", nearest);
    }
  }
  return {};
}

}  // namespace gls::tool
