// gls verify: reads a whole dataset and reports the first fault.

#include <CLI/CLI.hpp>
#include <chrono>
#include <memory>

#include "commands.h"
#include "errors.h"
#include "format.h"
#include "interrupt.h"
#include "partition.h"
#include "table.h"
#include "text.h"

namespace gls::tool {
namespace {

int verify(const Session& session, const std::string& folder) {
  const auto start = std::chrono::steady_clock::now();
  const Context context = make_context(session);
  Json report = {{"path", folder}, {"ok", true}};
  try {
    Progress progress(session.progress_mode());
    gls_verify_options_t options = GLS_VERIFY_OPTIONS_INIT;
    options.progress = Progress::callback;
    options.progress_user_data = &progress;
    if (is_partition(folder)) {
      Partition::open(context, folder).verify(options);
    } else {
      Dataset::open(context, folder).verify(options);
    }
  } catch (const Error& error) {
    throw_if_interrupted();
    // A fault is a result: with --json it is printed as the document.
    if (!session.json) {
      throw;
    }
    report["ok"] = false;
    report["error"] = error_json(error);
    print_error(error.what());
  }
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (session.json) {
    report["seconds"] = seconds;
    print_json(report);
  } else {
    print("{}: ok, checked in {}\n", printable(folder), format_seconds(seconds));
  }
  return report["ok"].get<bool>() ? kSuccess : kFailure;
}

}  // namespace

void add_verify(CLI::App& app, Session& session) {
  CLI::App& command = add_command(
      app, "verify", "Read everything: checksums, indices, edge ids, layouts, sets, weights, keys");
  const auto folder = std::make_shared<std::string>();
  command.add_option("FOLDER", *folder, "The dataset, or the folder of parts")->required();
  add_context_options(command, session);
  add_report_options(command, session);
  command.callback([folder, &session] {
    session.command = [folder, &session] { return verify(session, *folder); };
  });
}

}  // namespace gls::tool
