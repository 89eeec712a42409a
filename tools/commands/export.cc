// gls export: writes a dataset as files of another system.

#include <CLI/CLI.hpp>
#include <chrono>
#include <memory>

#include "commands/commands.h"
#include "terminal/format.h"
#include "terminal/progress.h"
#include "terminal/text.h"

namespace gls::tool {
namespace {

struct ExportOptions {
  std::string format;
  std::string folder;
  std::string output;
  std::vector<std::string> choices;
  bool overwrite = false;
};

int export_dataset(const Session& session, const ExportOptions& asked) {
  const auto start = std::chrono::steady_clock::now();
  const Context context = make_context(session);
  {
    Progress progress(session.progress_mode());
    gls_export_options_t options = GLS_EXPORT_OPTIONS_INIT;
    options.overwrite = asked.overwrite ? 1 : 0;
    options.progress = Progress::callback;
    options.progress_user_data = &progress;
    Dataset::open(context, asked.folder)
        .export_to(asked.format, asked.output, asked.choices, options);
  }
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (session.json) {
    print_json({{"path", asked.output}, {"format", asked.format}, {"seconds", seconds}});
  } else {
    print("{}: written in {}\n", printable(asked.output), format_seconds(seconds));
  }
  return kSuccess;
}

}  // namespace

void add_export(CLI::App& app, Session& session) {
  CLI::App& command = add_command(app, "export", "Write a dataset as files of another system");
  const auto asked = std::make_shared<ExportOptions>();
  command.add_option("FORMAT", asked->format, "parquet, pyg, dgl or graphbolt")->required();
  command.add_option("FOLDER", asked->folder, "The dataset")->required();
  command.add_option("-o,--output", asked->output, "What to write: a folder; for pyg a file")
      ->required();
  command
      .add_option("--choose", asked->choices,
                  "NAME=VALUE, as the format documents; may be repeated")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  command.add_flag("--overwrite", asked->overwrite,
                   "Replace an earlier export, an empty folder or a file");
  command.footer("docs/formats/export.md says what each format keeps.");
  add_context_options(command, session);
  add_report_options(command, session);
  command.callback([asked, &session] {
    session.command = [asked, &session] { return export_dataset(session, *asked); };
  });
}

}  // namespace gls::tool
