// The sub-commands. Each adds itself to the command line.
#pragma once

#include <CLI/App.hpp>

#include "session/session.h"

namespace gls::tool {

void add_import(CLI::App& app, Session& session);
void add_inspect(CLI::App& app, Session& session);
void add_partition(CLI::App& app, Session& session);
void add_merge(CLI::App& app, Session& session);
void add_export(CLI::App& app, Session& session);
void add_verify(CLI::App& app, Session& session);
void add_serve(CLI::App& app, Session& session);
void add_sample(CLI::App& app, Session& session);
void add_plan(CLI::App& app, Session& session);
void add_bench(CLI::App& app, Session& session);
void add_generate(CLI::App& app, Session& session);
void add_settings(CLI::App& app, Session& session);
void add_version(CLI::App& app, Session& session);

}  // namespace gls::tool
