#include "session.h"

#include <sched.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "interrupt.h"
#include "text.h"

namespace gls::tool {
namespace {

void log_line(void*, int32_t level, const char* component, const char* text) {
  static constexpr std::string_view kNames[] = {"", "error", "warning", "info", "debug", "trace"};
  const auto known = std::clamp<int32_t>(level, GLS_LOG_ERROR, GLS_LOG_TRACE);
  print_log_line(formatted("gls: {}: {}: {}", kNames[known], component, text));
}

}  // namespace

Failure system_failure(const std::string& what, const std::string& file, int error_number) {
  const gls_status_t status = error_number == ENOENT   ? GLS_ERR_NOT_FOUND
                              : error_number == EEXIST ? GLS_ERR_ALREADY_EXISTS
                              : error_number == ENOMEM ? GLS_ERR_OUT_OF_MEMORY
                                                       : GLS_ERR_IO;
  return Failure(formatted("{} {}: {}", what, file, std::strerror(error_number)), file, status);
}

CLI::App& add_command(CLI::App& parent, const std::string& name, const std::string& description) {
  CLI::App* const out = parent.add_subcommand(name, description);
  out->footer("");
  return *out;
}

void add_report_options(CLI::App& app, Session& session) {
  app.add_flag("--json", session.json, "Print one JSON document instead of text");
  CLI::Option* const progress =
      app.add_flag("--progress", session.force_progress,
                   "Report progress on standard error even when it is no terminal");
  app.add_flag("-q,--quiet", session.quiet, "Report no progress")->excludes(progress);
}

void add_context_options(CLI::App& app, Session& session) {
  app.add_option("--threads", session.threads,
                 "Worker threads; 0: one per core this process may use");
  app.add_option("--setting", session.settings,
                 "KEY=VALUE: change a tunable, see \"gls settings\" (may be repeated)")
      ->type_name("KEY=VALUE")
      ->take_all()
      ->allow_extra_args(false);
}

Context make_context(const Session& session) {
  gls_context_options_t options = GLS_CONTEXT_OPTIONS_INIT;
  options.num_threads = session.threads;
  options.log = log_line;
  Context context(options);
  for (const std::string& setting : session.settings) {
    const size_t equals = setting.find('=');
    if (equals == std::string::npos) {
      throw UsageError(formatted("--setting {}: expected KEY=VALUE", setting));
    }
    context.set(setting.substr(0, equals), setting.substr(equals + 1));
  }
  return context;
}

Dataset open_dataset(const Context& context, const std::string& folder) {
  gls_dataset_options_t options = GLS_DATASET_OPTIONS_INIT;
  options.progress = [](void*, const char*, uint64_t, uint64_t, const char*) {
    return static_cast<int32_t>(interrupt_signal());
  };
  return Dataset::open(context, folder, options);
}

uint32_t context_threads(const Session& session, const Context& context) {
  if (session.threads > 0) {
    return session.threads;
  }
  const unsigned long stated = std::stoul(context.get("threads"));
  if (stated > 0) {
    return static_cast<uint32_t>(stated);
  }
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0) {
    return 1;
  }
  return static_cast<uint32_t>(std::max(CPU_COUNT(&set), 1));
}

std::string json_text(const Json& document, int indent) {
  // Names and paths may contain any bytes, but a document must be UTF-8.
  return document.dump(indent, ' ', false, Json::error_handler_t::replace) + "\n";
}

void print_json(const Json& document, int indent) { print_text(json_text(document, indent)); }

}  // namespace gls::tool
