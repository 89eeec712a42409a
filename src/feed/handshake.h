// The greeting that a trainer receives when it attaches to a feed. It describes the feed's loader:
// types and columns by name, the number of batches, and the checks for a saved state.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "loader/pipeline/loader.h"
#include "loader/seeds/epoch_plan.h"

namespace gls {

struct Handshake {
  // The types and columns, without nodes or edges.
  std::shared_ptr<const Dataset> names;
  PlanOptions plan;
  uint64_t num_seeds = 0;
  std::optional<PadSizes> pad_sizes;
  std::string state;  // state of the loader at some position
};

inline constexpr uint64_t kMostGreeting = uint64_t{16} << 20;

std::string greeting_text(const Loader& loader);
// For any text, the result is safe to use.
Result<Handshake> read_handshake(std::string_view text, const std::shared_ptr<Context>& context);

}  // namespace gls
