// What a trainer is told of a feed's loader when it attaches: types and columns by name, how many
// batches there are, and what a saved state of it depends on.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "loader/loader.h"
#include "loader/seeds/epoch_plan.h"

namespace gls {

struct Greeting {
  // Its types and columns, without nodes or edges.
  std::shared_ptr<const Dataset> names;
  PlanOptions plan;
  uint64_t num_seeds = 0;
  std::optional<PadSizes> pad_sizes;
  std::string state;  // of the loader at some position
};

inline constexpr uint64_t kMostGreeting = uint64_t{16} << 20;

std::string greeting_text(const Loader& loader);
// Whatever the text is, what comes out can be used.
Result<Greeting> read_greeting(std::string_view text, const std::shared_ptr<Context>& context);

}  // namespace gls
