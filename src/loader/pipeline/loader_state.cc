// Saves and restores a loader's position as a small JSON text. 64-bit identifiers are strings,
// because many JSON readers keep only 53 bits of a number.
#include "loader/pipeline/loader_state.h"

#include <charconv>
#include <nlohmann/json.hpp>
#include <span>

#include "base/checksum.h"
#include "base/philox.h"
#include "loader/pipeline/loader.h"

namespace gls {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kStateVersion = 1;

Status bad_state(const std::string& text) {
  return Status(GLS_ERR_INVALID_ARGUMENT, "loader state: " + text).with("argument", "state");
}

// For messages: the value that was found instead of a short one.
std::string shown(const Json& state, const char* key) {
  const auto it = state.find(key);
  return it == state.end() ? "missing" : it->is_structured() ? it->type_name() : it->dump();
}

Result<uint64_t> get_number(const Json& state, const char* key) {
  const auto it = state.find(key);
  if (it == state.end() || !it->is_number_unsigned()) {
    return bad_state(formatted("\"{}\" is missing or not a non-negative integer", key));
  }
  return it->get<uint64_t>();
}

}  // namespace

// The position, and everything that the order of seeds depends on. A restored loader may use
// another sampler, and other numbers of threads, prefetched batches and ranks.
std::string Loader::save() const {
  Json state;
  state["gls_loader"] = kStateVersion;
  state["contract"] = kContractVersion;
  {
    const std::lock_guard lock(mutex_);
    state["epoch"] = std::to_string(epoch_);
    state["batches_done"] = plan_->position(next_step_);
  }
  state["seed"] = std::to_string(sampler_->options().seed);
  state["batch_size"] = options_.plan.batch_size;
  state["shuffle"] = options_.plan.shuffle;
  state["drop_last"] = options_.plan.drop_last;
  state["num_seeds"] = options_.plan.num_seeds;
  const std::string type = seeds_->sets().type_names();
  state["node_type"] = hex64(hash64(std::as_bytes(std::span(type))));
  state["seeds"] = seeds_->sets_checksum();
  if (const std::string& rule = seeds_->rule_checksum(); !rule.empty()) {
    state["seed_rule"] = rule;
  }
  state["dataset"] = hex64(sampler_->dataset()->fingerprint());
  return state.dump();
}

Result<SavedPosition> read_state(std::string_view text, const std::string& own_text) {
  if (text.size() > GLS_LOADER_STATE_MAX) {
    return bad_state(
        formatted("{} bytes, expected at most {}", text.size(), GLS_LOADER_STATE_MAX + 0));
  }
  const Json state = Json::parse(text, nullptr, false);
  if (!state.is_object() || !state.contains("gls_loader")) {
    return bad_state("not a state that a loader saved");
  }
  if (state["gls_loader"] != kStateVersion) {
    return error(GLS_ERR_UNSUPPORTED, "loader state: version {} is not known, expected {}",
                 shown(state, "gls_loader"), kStateVersion)
        .with("argument", "state");
  }
  const Json own = Json::parse(own_text);
  for (const char* key : {"contract", "seed", "batch_size", "shuffle", "drop_last", "num_seeds",
                          "node_type", "seeds", "dataset"}) {
    if (!state.contains(key) || state[key] != own[key]) {
      return bad_state(formatted("\"{}\" is {} in the state and {} in this loader", key,
                                 shown(state, key), shown(own, key)));
    }
  }
  // Absent in states of loaders that take each seed once.
  if (state.value("seed_rule", Json()) != own.value("seed_rule", Json())) {
    return bad_state(formatted("\"seed_rule\" is {} in the state and {} in this loader",
                               shown(state, "seed_rule"), shown(own, "seed_rule")));
  }
  GLS_ASSIGN(const uint64_t done, get_number(state, "batches_done"));
  const auto epoch_text = state.find("epoch");
  if (epoch_text == state.end() || !epoch_text->is_string()) {
    return bad_state("\"epoch\" is missing or not a string");
  }
  const auto& digits = epoch_text->get_ref<const std::string&>();
  uint64_t epoch = 0;
  const auto [end, ec] = std::from_chars(digits.data(), digits.data() + digits.size(), epoch);
  if (ec != std::errc() || end != digits.data() + digits.size()) {
    return bad_state(formatted("epoch \"{}\" is not a number", digits));
  }
  constexpr uint64_t kMostBatches = uint64_t{1} << 62;
  if (done > kMostBatches) {
    return bad_state(formatted("\"batches_done\" is {}, which no epoch has", done));
  }
  return SavedPosition{epoch, done};
}

std::string state_at(const std::string& own, const SavedPosition& position) {
  Json state = Json::parse(own);
  state["epoch"] = std::to_string(position.epoch);
  state["batches_done"] = position.done;
  return state.dump();
}

Status Loader::restore(std::string_view text) {
  GLS_ASSIGN(const SavedPosition at, read_state(text, save()));
  seek(at.epoch, at.done);
  return {};
}

}  // namespace gls
