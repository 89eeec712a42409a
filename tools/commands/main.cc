// The gls command: makes, inspects, checks, samples and measures datasets.

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "commands/commands.h"
#include "session/errors.h"
#include "session/session.h"
#include "terminal/interrupt.h"
#include "terminal/suggestions.h"
#include "terminal/text.h"

namespace gls::tool {
namespace {

int fail(const Session& session, const std::exception& error) {
  print_error(error.what());
  if (session.json) {
    print_json({{"error", error_json(error)}});
  }
  return kFailure;
}

int interrupted(const Session& session) {
  const char* const message = "interrupted";
  print_error(message);
  if (session.json) {
    const char* const status = gls_status_name(GLS_ERR_CANCELED);
    print_json({{"error", {{"status", status}, {"message", message}}}});
    std::fflush(stdout);
  }
  return 128 + interrupt_signal();
}

int32_t signal_came(void* /*user_data*/) { return interrupt_signal(); }

int run(const Session& session) {
  try {
    const InterruptScope interrupts(signal_came, nullptr);
    return session.command();
  } catch (const Interrupted&) {
    return interrupted(session);
  } catch (const ReaderGone&) {
    return kSuccess;
  } catch (const UsageError& error) {
    print_error(error.what());
    return kWrongUsage;
  } catch (const Error& error) {
    return error.status() == GLS_ERR_CANCELED && interrupt_signal() != 0 ? interrupted(session)
                                                                         : fail(session, error);
  } catch (const std::exception& error) {
    return fail(session, error);
  }
}

int main(int argc, char** argv) {
  install_interrupt_handlers();
  Session session;
  CLI::App app("Graph datasets for neighbour sampling: make, inspect, verify, sample, measure.",
               "gls");
  app.footer("Exit codes: 0 success, 1 the operation failed, 2 wrong usage, 130 interrupted.");
  app.require_subcommand(1);
  add_import(app, session);
  add_inspect(app, session);
  add_verify(app, session);
  add_partition(app, session);
  add_merge(app, session);
  add_export(app, session);
  add_serve(app, session);
  add_sample(app, session);
  add_plan(app, session);
  add_bench(app, session);
  add_generate(app, session);
  add_settings(app, session);
  add_version(app, session);
  int code = kSuccess;
  try {
    app.parse(argc, argv);
    code = run(session);
  } catch (const CLI::Success& help) {
    code = app.exit(help);
  } catch (const CLI::ParseError& error) {
    print_error(error.what() + suggestion(app));
    return kWrongUsage;
  }
  // Detects a full disk or a closed pipe.
  errno = 0;
  if ((std::fflush(stdout) != 0 || std::ferror(stdout) != 0) && errno != EPIPE &&
      !reader_is_gone()) {
    print_error("cannot write to standard output");
    return kFailure;
  }
  return code;
}

}  // namespace
}  // namespace gls::tool

int main(int argc, char** argv) { return gls::tool::main(argc, argv); }
