// gls inspect: describes a dataset.

#include <CLI/CLI.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "commands/commands.h"
#include "commands/degrees.h"
#include "commands/describe.h"
#include "commands/partition.h"
#include "session/arguments.h"
#include "terminal/table.h"
#include "terminal/text.h"

namespace gls::tool {
namespace {

// A readiness probe: any failure is an error of the command.
int inspect_server(const Session& session, const Context& context, const std::string& place,
                   double seconds) {
  constexpr std::string_view kScheme = "gls://";
  if (place.rfind(kScheme, 0) != 0 || place.find(',') != std::string::npos) {
    throw UsageError(formatted("--server: of gls://HOST:PORT, one server, not of {}", place));
  }
  const std::string address = place.substr(kScheme.size());
  const Probe probe(context, address, milliseconds(seconds));
  const gls_probe_info_t info = probe.info();
  const std::vector<uint32_t> parts(info.parts, info.parts + info.num_parts);
  if (session.json) {
    print_json({{"address", address},
                {"name", info.name},
                {"version", info.version},
                {"graph", info.graph},
                {"parts", parts},
                {"graph_parts", info.graph_parts}});
    return kSuccess;
  }
  std::string list;
  for (const uint32_t part : parts) {
    list += (list.empty() ? "" : ", ") + std::to_string(part);
  }
  print("{} ({}) at {} serves part {} of {} of graph {}\n", printable(info.name),
        printable(info.version), address, list, info.graph_parts, info.graph);
  return kSuccess;
}

}  // namespace

void add_inspect(CLI::App& app, Session& session) {
  CLI::App& inspect = add_command(app, "inspect", "Show what a dataset holds");
  struct Options {
    std::string folder;
    bool degrees = false;
    bool server = false;
    double timeout = 5;
  };
  const auto options = std::make_shared<Options>();
  inspect
      .add_option("FOLDER", options->folder, "The dataset, the folder of parts, or gls://HOST:PORT")
      ->required();
  inspect.add_flag("--degrees", options->degrees, "Also statistics of degrees (reads all edges)");
  CLI::Option* const server =
      inspect.add_flag("--server", options->server,
                       "Ask this server alone whether it serves, and what; 0 if it does");
  inspect.add_option("--timeout", options->timeout, "How long that may take")
      ->type_name("SECONDS")
      ->check(CLI::Range(0.0, 86400.0))
      ->capture_default_str()
      ->needs(server);
  add_report_options(inspect, session);
  inspect.callback([options, &session] {
    session.command = [options, &session]() -> int {
      const Context context = make_context(session);
      if (options->server) {
        if (options->degrees) {
          throw UsageError("--degrees: of a graph, not of --server");
        }
        return inspect_server(session, context, options->folder, options->timeout);
      }
      if (is_partition(options->folder)) {
        if (options->degrees) {
          throw UsageError("--degrees: of a dataset, not of a folder of parts");
        }
        const Json parts = describe_partition(context, options->folder);
        if (session.json) {
          print_json(parts);
        } else {
          print("{}", partition_in_tables(parts));
        }
        return kSuccess;
      }
      const Dataset dataset = open_dataset(context, options->folder);
      Json description = describe_dataset(dataset, options->folder);
      if (options->degrees) {
        Progress progress(session.progress_mode());
        add_degrees(dataset, progress, description);
      }
      if (session.json) {
        print_json(description);
      } else {
        print("{}", describe_in_tables(description));
        if (options->degrees) {
          print("\n{}", degree_table(description));
        }
      }
      return kSuccess;
    };
  });
}

}  // namespace gls::tool
