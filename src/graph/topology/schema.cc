#include "graph/topology/schema.h"

#include <utility>

#include "base/text.h"
#include "format/manifest.h"

namespace gls {

Result<EdgeTypeName> parse_edge_type(std::string_view text) {
  const size_t first = text.find("__");
  const size_t second =
      first == std::string_view::npos ? std::string_view::npos : text.find("__", first + 2);
  if (second == std::string_view::npos || text.find("__", second + 2) != std::string_view::npos) {
    return invalid("edge type \"{}\" is not of the form source__relation__target", text)
        .with("argument", "edge_type");
  }
  EdgeTypeName name{std::string(text.substr(0, first)),
                    std::string(text.substr(first + 2, second - first - 2)),
                    std::string(text.substr(second + 2))};
  for (const auto& [part, what] :
       {std::pair(&name.source, "node type"), std::pair(&name.relation, "relation"),
        std::pair(&name.target, "node type")}) {
    Status status = check_name(*part, what);
    if (!status.ok()) {
      return std::move(status).prefixed(formatted("edge type \"{}\": ", text));
    }
  }
  return name;
}

}  // namespace gls
