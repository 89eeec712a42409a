// gls settings and gls version.

#include <CLI/CLI.hpp>

#include "commands/commands.h"
#include "terminal/progress.h"
#include "terminal/table.h"
#include "terminal/text.h"

namespace gls::tool {
namespace {

int list_settings(const Session& session) {
  const Context context = make_context(session);
  Table table({{"key"}, {"type"}, {"default"}, {"in force"}, {"environment"}, {"meaning"}});
  Json document = Json::array();
  for (size_t i = 0; i < gls_setting_count(); ++i) {
    gls_setting_info_t info{};
    info.struct_size = sizeof info;
    detail::call([&](auto err) { return gls_setting_get_info(i, &info, err); });
    const std::string value = context.get(info.key);
    table.add({info.key, info.type, info.default_value, value, info.env, info.help});
    document.push_back({{"key", info.key},
                        {"type", info.type},
                        {"default", info.default_value},
                        {"value", value},
                        {"env", info.env},
                        {"help", info.help}});
  }
  if (session.json) {
    print_json(document);
  } else {
    print("{}", table.text(stdout_width()));
  }
  return kSuccess;
}

int print_version(const Session& session) {
  const std::string header =
      formatted("{}.{}.{}", GLS_VERSION_MAJOR, GLS_VERSION_MINOR, GLS_VERSION_PATCH);
  if (session.json) {
    print_json({{"command", header}, {"library", gls_version_string()}});
  } else {
    print("gls {} (library {})\n", header, gls_version_string());
  }
  return kSuccess;
}

}  // namespace

void add_settings(CLI::App& app, Session& session) {
  CLI::App& settings = add_command(app, "settings", "List the library's tunables and their values");
  add_context_options(settings, session);
  add_report_options(settings, session);
  settings.callback(
      [&session] { session.command = [&session] { return list_settings(session); }; });
}

void add_version(CLI::App& app, Session& session) {
  CLI::App& version = add_command(app, "version", "Print the versions in use");
  add_report_options(version, session);
  version.callback([&session] { session.command = [&session] { return print_version(session); }; });
}

}  // namespace gls::tool
