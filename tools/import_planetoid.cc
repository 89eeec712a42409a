// gls import planetoid: the published files of Cora, CiteSeer and PubMed.
#include <CLI/CLI.hpp>

#include "import.h"

namespace gls::tool {

void add_import_planetoid(CLI::App& parent, Session& session) {
  CLI::App& command = add_command(
      parent, "planetoid", "Import the files ind.NAME.x, ind.NAME.graph and so on of a folder");
  struct Options {
    OutputOptions output;
    std::string folder;
    std::string name;
  };
  const auto options = std::make_shared<Options>();
  command.add_option("FOLDER", options->folder, "Where the files lie")->required();
  command.add_option("--name", options->name, "cora, citeseer or pubmed")->required();
  add_output_options(command, options->output);
  add_context_options(command, session);
  add_report_options(command, session);
  command.callback([options, &session] {
    session.command = [options, &session] {
      return write_dataset(session, options->output, "import",
                           [&](const Context&, Progress&, Builder& builder) {
                             builder.add_planetoid(options->folder, options->name);
                           });
    };
  });
}

}  // namespace gls::tool
