#include "errors.h"

#include "table.h"

namespace gls::tool {

void print_error(const std::string& message) { print_stderr_line("gls: " + printable(message)); }

Json error_json(const std::exception& error) {
  Json out;
  if (const auto* const library = dynamic_cast<const Error*>(&error)) {
    out["status"] = gls_status_name(library->status());
    out["message"] = library->what();
    for (const char* key : {"argument", "file", "type", "column", "offset"}) {
      if (const std::string detail = library->detail(key); !detail.empty()) {
        out[key] = detail;
      }
    }
    return out;
  }
  out["message"] = error.what();
  if (const auto* const own = dynamic_cast<const Failure*>(&error);
      own != nullptr && !own->file().empty()) {
    out["file"] = own->file();
  }
  return out;
}

}  // namespace gls::tool
