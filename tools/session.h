// Common code of all sub-commands: output, settings, and the end of a run.
#pragma once

#include <CLI/App.hpp>
#include <cstdint>
#include <functional>
#include <gls.hpp>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "progress.h"

namespace gls::tool {

// Keys keep the order in which they were written.
using Json = nlohmann::ordered_json;

enum ExitCode : int { kSuccess = 0, kFailure = 1, kWrongUsage = 2 };

// An error in the command line.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Any other failure of this program itself.
class Failure : public std::runtime_error {
 public:
  explicit Failure(const std::string& message, std::string file = {},
                   gls_status_t status = GLS_ERR_INVALID_ARGUMENT)
      : std::runtime_error(message), file_(std::move(file)), status_(status) {}
  const std::string& file() const { return file_; }
  // The code that the library would have returned.
  gls_status_t status() const { return status_; }

 private:
  std::string file_;
  gls_status_t status_;
};

// Failure of a system call on `file`, with the system's reason.
Failure system_failure(const std::string& what, const std::string& file, int error_number);

struct Session {
  bool json = false;
  bool quiet = false;
  bool force_progress = false;
  uint32_t threads = 0;
  std::vector<std::string> settings;  // "key=value"
  std::function<int()> command;       // set by the chosen sub-command

  Progress::Mode progress_mode() const {
    return quiet            ? Progress::Mode::kOff
           : force_progress ? Progress::Mode::kOn
                            : Progress::Mode::kAuto;
  }
};

// A sub-command without inherited parts of its parent's help.
CLI::App& add_command(CLI::App& parent, const std::string& name, const std::string& description);
// --json, --progress, --quiet.
void add_report_options(CLI::App& app, Session& session);
// --threads, --setting.
void add_context_options(CLI::App& app, Session& session);

Context make_context(const Session& session);
// Ends when a signal requests it, also while it waits for servers.
Dataset open_dataset(const Context& context, const std::string& folder);
// The number of worker threads of a context from make_context().
uint32_t context_threads(const Session& session, const Context& context);

// A document and a line break; `indent` -1 writes it on one line.
std::string json_text(const Json& document, int indent = 2);
// To standard output.
void print_json(const Json& document, int indent = 2);

}  // namespace gls::tool
