// gls inspect: what a dataset holds.

#include <CLI/CLI.hpp>
#include <memory>

#include "commands.h"
#include "degrees.h"
#include "describe.h"
#include "partition.h"
#include "text.h"

namespace gls::tool {

void add_inspect(CLI::App& app, Session& session) {
  CLI::App& inspect = add_command(app, "inspect", "Show what a dataset holds");
  struct Options {
    std::string folder;
    bool degrees = false;
  };
  const auto options = std::make_shared<Options>();
  inspect.add_option("FOLDER", options->folder, "The dataset, or the folder of parts")->required();
  inspect.add_flag("--degrees", options->degrees, "Also statistics of degrees (reads all edges)");
  add_report_options(inspect, session);
  inspect.callback([options, &session] {
    session.command = [options, &session] {
      const Context context = make_context(session);
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
      const Dataset dataset = Dataset::open(context, options->folder);
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
