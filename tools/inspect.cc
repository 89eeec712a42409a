// gls inspect: what a dataset holds.

#include <CLI/CLI.hpp>
#include <memory>

#include "commands.h"
#include "degrees.h"
#include "describe.h"
#include "text.h"

namespace gls::tool {

void add_inspect(CLI::App& app, Session& session) {
  CLI::App& inspect = add_command(app, "inspect", "Show what a dataset holds");
  struct Options {
    std::string folder;
    bool degrees = false;
  };
  const auto options = std::make_shared<Options>();
  inspect.add_option("FOLDER", options->folder, "The dataset")->required();
  inspect.add_flag("--degrees", options->degrees, "Also statistics of degrees (reads all edges)");
  add_report_options(inspect, session);
  inspect.callback([options, &session] {
    session.command = [options, &session] {
      const Context context = make_context(session);
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
