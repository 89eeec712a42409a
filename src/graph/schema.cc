#include "graph/schema.h"

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
  GLS_TRY(check_name(name.source, "node type"));
  GLS_TRY(check_name(name.relation, "relation"));
  GLS_TRY(check_name(name.target, "node type"));
  return name;
}

}  // namespace gls
