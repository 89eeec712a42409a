#include "system/cgroup.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <sstream>
#include <string_view>
#include <vector>

namespace gls {
namespace {

constexpr const char* kUnified = "";  // the controllers of version 2 share one hierarchy

// The group of a process in one hierarchy.
struct Membership {
  std::string controllers;  // "cpu,cpuacct"; kUnified: version 2
  std::string path;
};

// A hierarchy, or its part from the group `root` down, mounted at `point`.
struct Mount {
  std::string root;
  std::string point;
  std::string options;  // include its controllers
  bool unified = false;
};

bool lists(std::string_view names, std::string_view name) {
  while (!names.empty()) {
    const size_t comma = std::min(names.find(','), names.size());
    if (names.substr(0, comma) == name) {
      return true;
    }
    names.remove_prefix(std::min(comma + 1, names.size()));
  }
  return false;
}

// "hierarchy:controllers:path"
std::vector<Membership> read_memberships(const std::string& root) {
  std::vector<Membership> out;
  std::ifstream in(root + "/proc/self/cgroup");
  for (std::string line; std::getline(in, line);) {
    const size_t first = line.find(':');
    const size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second != std::string::npos) {
      out.push_back({line.substr(first + 1, second - first - 1), line.substr(second + 1)});
    }
  }
  return out;
}

// A space is "\040".
std::string unescaped(const std::string& text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    unsigned code = 0;
    const char* const digits = text.data() + i + 1;
    if (text[i] == '\\' && i + 3 < text.size() &&
        std::from_chars(digits, digits + 3, code, 8).ptr == digits + 3) {
      out += static_cast<char>(code);
      i += 3;
    } else {
      out += text[i];
    }
  }
  return out;
}

// "36 35 0:31 /root /point options [optional fields] - type source options"
std::vector<Mount> read_mounts(const std::string& root) {
  std::vector<Mount> out;
  std::ifstream in(root + "/proc/self/mountinfo");
  for (std::string line; std::getline(in, line);) {
    const size_t middle = line.find(" - ");
    if (middle == std::string::npos) {
      continue;
    }
    std::istringstream before(line.substr(0, middle));
    std::istringstream after(line.substr(middle + 3));
    std::string skipped;
    std::string type;
    Mount mount;
    before >> skipped >> skipped >> skipped >> mount.root >> mount.point;
    after >> type >> skipped >> mount.options;
    mount.unified = type == "cgroup2";
    if (before && (mount.unified || type == "cgroup")) {
      mount.root = unescaped(mount.root);
      mount.point = unescaped(mount.point);
      out.push_back(std::move(mount));
    }
  }
  return out;
}

// The groups of `path` that are visible below the mount, from the process's own group up to the
// mount's.
std::vector<std::string> visible_groups(const Mount& mount, const std::string& path) {
  const std::string above = mount.root == "/" ? "" : mount.root;
  std::string inside;
  // A path of another namespace begins with "/.."; only the mount itself is visible of it.
  if (path.find("/..") == std::string::npos && path.starts_with(above) &&
      (path.size() == above.size() || path[above.size()] == '/')) {
    inside = path.substr(above.size());
  }
  while (inside.ends_with('/')) {
    inside.pop_back();
  }
  std::vector<std::string> out;
  while (!inside.empty()) {
    out.push_back(mount.point + inside);
    inside.resize(inside.rfind('/'));
  }
  out.push_back(mount.point);
  return out;
}

std::vector<std::string> numbers_of(const std::string& file) {
  std::ifstream in(file);
  std::vector<std::string> out;
  for (std::string word; in >> word;) {
    out.push_back(word);
  }
  return out;
}

// Not set: the file is missing, or sets no limit.
std::optional<int64_t> positive(const std::vector<std::string>& words, size_t index) {
  int64_t value = 0;
  if (index >= words.size()) {
    return std::nullopt;
  }
  const std::string& word = words[index];
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  return error == std::errc() && end == word.data() + word.size() && value > 0
             ? std::optional(value)
             : std::nullopt;
}

template <typename T>
void lower(std::optional<T>* least, T value) {
  *least = least->has_value() ? std::min(**least, value) : value;
}

void add_cpus(CgroupLimits* limits, std::optional<int64_t> quota, std::optional<int64_t> period) {
  if (quota && period) {
    lower(&limits->cpus, static_cast<double>(*quota) / static_cast<double>(*period));
  }
}

void add_memory(CgroupLimits* limits, const std::string& file) {
  if (const auto bytes = positive(numbers_of(file), 0)) {
    lower(&limits->memory, static_cast<uint64_t>(*bytes));
  }
}

void add_group(CgroupLimits* limits, const std::string& folder, bool unified) {
  if (unified) {
    const auto cpus = numbers_of(folder + "/cpu.max");  // "150000 100000", "max 100000"
    add_cpus(limits, positive(cpus, 0), positive(cpus, 1));
    add_memory(limits, folder + "/memory.max");
    add_memory(limits, folder + "/memory.high");
    return;
  }
  add_cpus(limits, positive(numbers_of(folder + "/cpu.cfs_quota_us"), 0),
           positive(numbers_of(folder + "/cpu.cfs_period_us"), 0));
  add_memory(limits, folder + "/memory.limit_in_bytes");
}

bool of_same_hierarchy(const Mount& mount, const Membership& member) {
  if (mount.unified || member.controllers == kUnified) {
    return mount.unified && member.controllers == kUnified;
  }
  const auto both = [&](const char* name) {
    return lists(mount.options, name) && lists(member.controllers, name);
  };
  return both("cpu") || both("memory");
}

}  // namespace

CgroupLimits cgroup_limits(const std::string& root) {
  CgroupLimits out;
  const std::vector<Mount> mounts = read_mounts(root);
  for (const Membership& member : read_memberships(root)) {
    for (const Mount& mount : mounts) {
      if (of_same_hierarchy(mount, member)) {
        for (const std::string& group : visible_groups(mount, member.path)) {
          add_group(&out, root + group, mount.unified);
        }
      }
    }
  }
  return out;
}

}  // namespace gls
