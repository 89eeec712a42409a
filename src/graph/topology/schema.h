// Names of edge types: "source__relation__target".
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"

namespace gls {

struct EdgeTypeName {
  std::string source;
  std::string relation;
  std::string target;

  std::string joined() const { return source + "__" + relation + "__" + target; }
};

Result<EdgeTypeName> parse_edge_type(std::string_view text);

}  // namespace gls
