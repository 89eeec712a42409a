// gls serve: serves parts of a graph to other machines.

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <memory>
#include <string>
#include <vector>

#include "base/output.h"
#include "commands/commands.h"
#include "session/arguments.h"
#include "session/errors.h"
#include "terminal/interrupt.h"
#include "terminal/table.h"
#include "terminal/text.h"

namespace gls::tool {
namespace {

struct ServeOptions {
  std::string folder;
  std::string listen = "127.0.0.1:0";
  std::vector<uint32_t> parts;
  std::vector<std::string> servers;
  std::string name;
  std::string residency = "mapped";
  uint64_t table_bytes = 0;
  double drain = 10;
};

int32_t residency(const std::string& name) {
  return name == "all"        ? GLS_RESIDENCY_ALL
         : name == "topology" ? GLS_RESIDENCY_TOPOLOGY
                              : GLS_RESIDENCY_MAPPED;
}

Server start(const Session& session, const Context& context, const ServeOptions& given) {
  Progress progress(session.progress_mode());
  gls_dataset_options_t open = GLS_DATASET_OPTIONS_INIT;
  open.residency = residency(given.residency);
  open.progress = Progress::callback;
  open.progress_user_data = &progress;
  std::vector<const char*> servers;
  servers.reserve(given.servers.size());
  for (const std::string& server : given.servers) {
    servers.push_back(server.c_str());
  }
  gls_server_options_t options = GLS_SERVER_OPTIONS_INIT;
  options.listen = given.listen.c_str();
  options.parts = given.parts.empty() ? nullptr : given.parts.data();
  options.num_parts = given.parts.size();
  options.servers = servers.data();
  options.num_servers = servers.size();
  options.name = given.name.empty() ? nullptr : given.name.c_str();
  options.open = &open;
  options.table_bytes = given.table_bytes;
  Server server(context, given.folder, options);
  progress.finish();
  return server;
}

// Prints one line, or a document on one line, when the server is ready.
void say_ready(const Session& session, const ServeOptions& given, const Server& server) {
  const gls_server_info_t info = server.info();
  if (session.json) {
    print_json({{"address", server.address()},
                {"path", given.folder},
                {"parts", info.parts},
                {"graph_parts", info.graph_parts}},
               -1);
  } else {
    print("serving {} of {} parts of {} at {}\n", info.parts, info.graph_parts,
          printable(given.folder), server.address());
  }
  std::fflush(stdout);
}

// The reader of the output may have stopped; the server ends anyway.
int say_end(const Session& session, const Server& server) {
  constexpr int kWaitMs = 1000;
  const gls_server_info_t info = server.info();
  const uint64_t dropped = num_dropped_log_lines();
  std::string text;
  if (session.json) {
    text = json_text({{"requests", info.requests},
                      {"failures", info.failures},
                      {"connections", info.admitted},
                      {"dropped_log_lines", dropped}},
                     -1);
  } else {
    text = formatted("stopped after {} requests ({} failed) on {} connections\n", info.requests,
                     info.failures, info.admitted);
    if (dropped > 0) {
      text += formatted("{} lines of the log were dropped: standard error was not read\n", dropped);
    }
  }
  const int failure = write_at_once(STDOUT_FILENO, text, kWaitMs);
  if (failure == 0 || failure == EPIPE || failure == EAGAIN) {
    return kSuccess;
  }
  print_error("cannot write to standard output");
  return kFailure;
}

int serve(const Session& session, const ServeOptions& given) {
  const Context context = make_context(session);
  Server server = start(session, context, given);
  try {
    say_ready(session, given, server);
  } catch (const ReaderGone&) {  // NOLINT(bugprone-empty-catch): clients do not read it
  }
  while (interrupt_signal() == 0) {
    constexpr timespec kLook{0, 50'000'000};
    nanosleep(&kLook, nullptr);
  }
  // A signal is the normal end of a server. The same signal again ends it without waiting.
  const InterruptScope patient(nullptr, nullptr);  // the first signal ends it in order
  server.stop(milliseconds(given.drain));
  return say_end(session, server);
}

}  // namespace

void add_serve(CLI::App& app, Session& session) {
  CLI::App& command =
      add_command(app, "serve", "Serve parts of a graph to clients, which open gls://HOST:PORT");
  const auto options = std::make_shared<ServeOptions>();
  command
      .add_option("FOLDER", options->folder,
                  "The folder of parts, see \"gls partition\", or of a dataset: one part")
      ->required();
  command
      .add_option("--part", options->parts,
                  "Serve this part; may be repeated. Without it: all parts")
      ->type_name("K")
      ->take_all()
      ->allow_extra_args(false);
  command
      .add_option("--listen", options->listen,
                  "Address of the interface to listen on; port 0: any that is free")
      ->type_name("HOST:PORT")
      ->capture_default_str();
  command
      .add_option("--server", options->servers,
                  "Another server of the graph: clients are told of it, and it of this one; may be "
                  "repeated. It need not be there yet")
      ->type_name("HOST:PORT")
      ->take_all()
      ->allow_extra_args(false);
  command.add_option("--name", options->name, "Name of this server in errors and logs of clients");
  command
      .add_option("--residency", options->residency,
                  "Whether files are mapped, or the topology or all is read into memory first")
      ->check(CLI::IsMember({"mapped", "topology", "all"}))
      ->capture_default_str();
  command
      .add_option(
          "--table-bytes", options->table_bytes,
          "Memory for tables of trainers, as embeddings; 0: none. Of the servers of a part, "
          "one may hold them")
      ->type_name("BYTES")
      ->transform(CLI::AsSizeValue(false))
      ->capture_default_str();
  command
      .add_option(
          "--drain", options->drain,
          "When told to end (SIGTERM, SIGHUP, Ctrl-C): how long requests under way may take")
      ->type_name("SECONDS")
      ->check(CLI::Range(0.0, 86400.0))
      ->capture_default_str();
  add_report_options(command, session);
  add_context_options(command, session);
  command.footer(
      "Nothing is served without protection: set GLS_NET_KEY_FILE to the file of a key that "
      "clients "
      "have, too, or see \"gls settings\" for certificates and for networks that are protected "
      "otherwise.");
  command.callback([options, &session] {
    session.command = [options, &session] { return serve(session, *options); };
  });
}

}  // namespace gls::tool
