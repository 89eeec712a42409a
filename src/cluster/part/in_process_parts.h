// Parts that servers in this process serve. A client that opens the graph in the same process uses
// these parts directly.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "cluster/part/local_part.h"

namespace gls {

// Any thread. A part is listed as long as another object keeps it.
class InProcessParts {
 public:
  static void add(const std::string& graph, const std::shared_ptr<const LocalPart>& part) {
    const std::lock_guard lock(all().mutex);
    all().parts[{graph, part->number()}] = part;
  }
  // Null: no server in this process has it.
  static std::shared_ptr<const LocalPart> find(const std::string& graph, uint32_t number) {
    const std::lock_guard lock(all().mutex);
    const auto found = all().parts.find({graph, number});
    if (found == all().parts.end()) {
      return nullptr;
    }
    auto part = found->second.lock();
    if (part == nullptr) {
      all().parts.erase(found);
    }
    return part;
  }

 private:
  struct All {
    std::mutex mutex;
    std::map<std::pair<std::string, uint32_t>, std::weak_ptr<const LocalPart>> parts;
  };
  static All& all() {
    static All all;
    return all;
  }
};

}  // namespace gls
