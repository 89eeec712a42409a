#include "commands/plan_page.h"

#include <string_view>

namespace gls::tool {

extern const std::string_view kPlanPageTemplate;  // plan_page.html; tools/CMakeLists.txt embeds it

namespace {

constexpr std::string_view kPlanPlaceholder = "{{PLAN}}";

// Strings of a document may contain "</script>" or "<!--", which would end the script around it.
// JSON has "<" in strings only.
std::string json_for_script(const Json& document) {
  std::string escaped;
  for (const char byte : json_text(document, -1)) {
    if (byte == '<') {
      escaped += "\\u003c";
    } else {
      escaped += byte;
    }
  }
  return escaped;
}

}  // namespace

std::string plan_page(const Json& report) {
  std::string page(kPlanPageTemplate);
  return page.replace(page.find(kPlanPlaceholder), kPlanPlaceholder.size(),
                      json_for_script(report));
}

}  // namespace gls::tool
