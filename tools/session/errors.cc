#include "session/errors.h"

#include <new>

#include "terminal/table.h"

namespace gls::tool {

void print_error(const std::string& message) { print_stderr_line("gls: " + printable(message)); }

Json error_json(const std::exception& error) {
  Json out;
  if (const auto* const library = dynamic_cast<const Error*>(&error)) {
    out["status"] = gls_status_name(library->status());
    out["message"] = library->what();
    for (const char* key : {"argument", "file", "line", "field", "type", "column", "offset"}) {
      if (const std::string detail = library->detail(key); !detail.empty()) {
        out[key] = detail;
      }
    }
    return out;
  }
  const auto* const own = dynamic_cast<const Failure*>(&error);
  const bool no_memory = dynamic_cast<const std::bad_alloc*>(&error) != nullptr;
  out["status"] = gls_status_name(own != nullptr ? own->status()
                                  : no_memory    ? GLS_ERR_OUT_OF_MEMORY
                                                 : GLS_ERR_INTERNAL);
  out["message"] = error.what();
  if (own != nullptr && !own->file().empty()) {
    out["file"] = own->file();
  }
  return out;
}

}  // namespace gls::tool
