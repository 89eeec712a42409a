// The sampling options of the commands that sample.
#pragma once

#include <CLI/App.hpp>
#include <deque>
#include <gls.hpp>
#include <string>
#include <vector>

namespace gls::tool {

struct SamplerFlags {
  std::vector<std::string> fanouts;  // "[TYPE=]10,5"
  std::string direction = "in";
  std::string replace = "never";
  std::string weight;
  uint64_t seed = 0;
  bool edge_ids = false;
  bool disjoint = false;
  bool toward_seeds = false;
  bool int32 = false;
};
void add_sampler_flags(CLI::App& app, SamplerFlags& flags);

// gls_sampler_options_t and the data that it points to.
class SamplerOptions {
 public:
  // Throws UsageError if the fanouts do not fit together.
  explicit SamplerOptions(const SamplerFlags& flags);
  SamplerOptions(const SamplerOptions&) = delete;
  SamplerOptions& operator=(const SamplerOptions&) = delete;
  const gls_sampler_options_t& get() const { return options_; }

 private:
  void add_fanout(const std::string& text);

  std::deque<std::string> types_;
  std::deque<std::vector<int64_t>> per_hop_;
  std::vector<gls_fanout_t> fanouts_;
  std::string weight_;
  gls_sampler_options_t options_ = GLS_SAMPLER_OPTIONS_INIT;
};

}  // namespace gls::tool
