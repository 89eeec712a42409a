#include "commands/sampler_flags.h"

#include <CLI/CLI.hpp>

#include "session/arguments.h"
#include "session/session.h"
#include "terminal/text.h"

namespace gls::tool {

void add_sampler_flags(CLI::App& app, SamplerFlags& flags) {
  app.add_option("--fanout", flags.fanouts,
                 "[TYPE=]N,N,...: neighbours per hop, -1 takes all; with TYPE for one edge type "
                 "(may be repeated)")
      ->type_name("FANOUT")
      ->allow_extra_args(false);
  app.add_option("--direction", flags.direction, "Edges to follow from a node: in or out")
      ->check(CLI::IsMember({"in", "out"}))
      ->capture_default_str();
  app.add_option("--replace", flags.replace,
                 "Draw with replacement: never, above (only where there are more neighbours than "
                 "asked for) or always")
      ->check(CLI::IsMember({"never", "above", "always"}))
      ->capture_default_str();
  app.add_option("--weight", flags.weight, "Edge column of sampling weights")->type_name("COLUMN");
  app.add_option("--seed", flags.seed, "Seed of the random numbers")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  app.add_flag("--edge-ids", flags.edge_ids, "Report the id of each sampled edge");
  app.add_flag("--disjoint", flags.disjoint, "Grow a tree of its own for each seed");
  app.add_flag("--toward-seeds", flags.toward_seeds,
               "With --direction out: col is the end nearer to the seed");
  app.add_flag("--int32", flags.int32, "Report ids as int32");
}

SamplerOptions::SamplerOptions(const SamplerFlags& flags) : weight_(flags.weight) {
  for (const std::string& text : flags.fanouts) {
    add_fanout(text);
  }
  if (fanouts_.empty()) {
    throw UsageError("--fanout is required");
  }
  options_.flags = (flags.edge_ids ? uint32_t{GLS_SAMPLE_EDGE_IDS} : 0u) |
                   (flags.disjoint ? uint32_t{GLS_SAMPLE_DISJOINT} : 0u) |
                   (flags.toward_seeds ? uint32_t{GLS_SAMPLE_TOWARD_SEEDS} : 0u) |
                   (flags.int32 ? uint32_t{GLS_SAMPLE_INT32} : 0u);
  options_.seed = flags.seed;
  options_.fanouts = fanouts_.data();
  options_.num_fanouts = fanouts_.size();
  options_.direction = flags.direction == "out" ? GLS_DIRECTION_OUT : GLS_DIRECTION_IN;
  options_.replace = flags.replace == "always"  ? GLS_REPLACE_ALWAYS
                     : flags.replace == "above" ? GLS_REPLACE_ABOVE
                                                : GLS_REPLACE_NEVER;
  options_.weight = detail::or_null(weight_);
}

void SamplerOptions::add_fanout(const std::string& text) {
  const size_t equals = text.rfind('=');
  const bool typed = equals != std::string::npos;
  types_.push_back(typed ? text.substr(0, equals) : std::string());
  per_hop_.push_back(parse_integers("--fanout", typed ? text.substr(equals + 1) : text));
  if (per_hop_.back().size() != per_hop_.front().size()) {
    throw UsageError(formatted("--fanout {}: {} hops, but another has {}", text,
                               per_hop_.back().size(), per_hop_.front().size()));
  }
  fanouts_.push_back(
      {detail::or_null(types_.back()), per_hop_.back().data(), per_hop_.back().size()});
}

}  // namespace gls::tool
