// gls plan: what an epoch of a loader needs, before it runs.

#include <CLI/CLI.hpp>
#include <cerrno>
#include <fstream>
#include <memory>

#include "commands/commands.h"
#include "commands/plan_page.h"
#include "commands/plan_report.h"
#include "commands/sampler_flags.h"
#include "session/arguments.h"
#include "terminal/text.h"

namespace gls::tool {
namespace {

struct PlanFlags {
  std::string folder;
  std::string type;
  std::string set;
  SamplerFlags sampler;
  uint32_t batch_size = 1024;
  uint64_t epoch = 0;
  uint64_t batches = 0;
  uint32_t trainers = 1;
  std::vector<std::string> memory;
  std::vector<std::string> columns;
  bool no_shuffle = false;
  std::string html;
};

void write_page(const std::string& file, const std::string& page) {
  errno = 0;
  std::ofstream stream(file, std::ios::binary | std::ios::trunc);
  stream << page;
  stream.close();
  if (!stream) {
    throw system_failure("cannot write", file, errno);
  }
}

std::string plan_json(const Session& session, const PlanFlags& flags) {
  SamplerFlags sampling = flags.sampler;
  if (sampling.fanouts.empty()) {
    sampling.fanouts.push_back("15,10,5");
  }
  const SamplerOptions sampler_options(sampling);
  std::vector<uint64_t> memory;
  for (const std::string& text : flags.memory) {
    for (const std::string& size : split(text, ',')) {
      memory.push_back(parse_size("--memory", size));
    }
  }
  std::vector<gls_column_request_t> columns;
  for (const std::string& name : flags.columns) {
    columns.push_back({nullptr, name.c_str(), GLS_GATHER_AUTO, {0, 0, 0}});
  }
  const Context context = make_context(session);
  const Dataset dataset = open_dataset(context, flags.folder);
  const Sampler sampler(dataset, sampler_options.get());
  gls_loader_options_t options = GLS_LOADER_OPTIONS_INIT;
  options.node_type = detail::or_null(flags.type);
  options.id_set = detail::or_null(flags.set);
  options.batch_size = flags.batch_size;
  options.world_size = flags.trainers;
  options.flags = flags.no_shuffle ? 0u : uint32_t{GLS_LOADER_SHUFFLE};
  options.columns = columns.empty() ? nullptr : columns.data();
  options.num_columns = columns.size();
  const Loader loader(sampler, Tensor(), options);
  Progress progress(session.progress_mode());
  gls_plan_options_t plan = GLS_PLAN_OPTIONS_INIT;
  plan.epoch = flags.epoch;
  plan.batches = flags.batches;
  plan.memory = memory.empty() ? nullptr : memory.data();
  plan.num_memory = memory.size();
  plan.progress = Progress::callback;
  plan.progress_user_data = &progress;
  std::string text = loader.plan(plan);
  progress.finish();
  return text;
}

int plan(const Session& session, const PlanFlags& flags) {
  const Json report = Json::parse(plan_json(session, flags));
  if (!flags.html.empty()) {
    write_page(flags.html, plan_page(report));
  }
  if (session.json) {
    print_json(report);
  } else {
    print("{}", plan_text(report));
    if (!flags.html.empty()) {
      print("\nwritten: {}\n", flags.html);
    }
  }
  return kSuccess;
}

}  // namespace

void add_plan(CLI::App& app, Session& session) {
  CLI::App& command = add_command(
      app, "plan", "Show what an epoch reads and how long it takes, for sizes of memory");
  const auto flags = std::make_shared<PlanFlags>();
  command.add_option("FOLDER", flags->folder, "The dataset")->required();
  command.add_option("--type", flags->type, "Node type of the seeds");
  command.add_option("--set", flags->set, "Id set of the seeds; default: all nodes")
      ->type_name("NAME");
  add_sampler_flags(command, flags->sampler);
  command.get_option("--fanout")
      ->description("[TYPE=]N,N,...: neighbours per hop; default 15,10,5 for every edge type");
  command.add_option("--batch-size", flags->batch_size, "Seeds per batch")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command
      .add_option("--columns", flags->columns, "Columns to gather; default: features and labels")
      ->type_name("NAME")
      ->delimiter(',');
  command.add_option("--epoch", flags->epoch, "The epoch to plan")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  command.add_option("--batches", flags->batches, "How many batches to plan; default: all")
      ->check(CLI::PositiveNumber);
  command
      .add_option("--trainers", flags->trainers,
                  "Trainers that share the epoch; the first one is planned")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command
      .add_option(
          "--memory", flags->memory,
          "Sizes of memory to compare, such as 8G,16G, for all that a loader uses; default: "
          "10, 25, 50 and 75 % of topology and columns, and storage.memory if reads are planned")
      ->type_name("SIZE,...");
  command.add_flag("--no-shuffle", flags->no_shuffle, "Take the seeds in order");
  command.add_option("--html", flags->html, "Also write a page with charts to this file")
      ->type_name("FILE");
  add_context_options(command, session);
  add_report_options(command, session);
  command.callback(
      [flags, &session] { session.command = [flags, &session] { return plan(session, *flags); }; });
}

}  // namespace gls::tool
