#include "context/settings.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "base/nearest_name.h"

namespace gls {
namespace {

constexpr size_t kCount = static_cast<size_t>(Setting::kCount);
constexpr size_t kMostText = 4096;

constexpr std::array<SettingSpec, kCount> kSpecs = {{
    {"cluster.batch_memory", "size", "512M", "GLS_CLUSTER_BATCH_MEMORY",
     "Most memory of batches that a server made for its clients and keeps: those that it makes "
     "ahead, in half of it, and those that others may ask for. It keeps 256 at most, for a "
     "minute. Not set: at most a quarter of the memory that the process may use.",
     4},
    {"cluster.open_timeout_ms", "int", "30000", "GLS_CLUSTER_OPEN_TIMEOUT_MS",
     "How long opening a graph that is served waits for its servers, those that are not there yet "
     "included; 0 is without limit."},
    {"cluster.request_timeout_ms", "int", "30000", "GLS_CLUSTER_REQUEST_TIMEOUT_MS",
     "How long a question to servers may take, with asking again; 0 is without limit."},
    {"cluster.same_host", "bool", "true", "GLS_CLUSTER_SAME_HOST",
     "Whether a server gives the files of its parts, books, id sets and keys to clients on its own "
     "host, and clients map them instead of asking."},
    {"cpu.simd", "auto|avx512|avx2|plain", "auto", "GLS_CPU_SIMD",
     "Widest instruction set to use; the bytes of a batch do not depend on it."},
    {"dataset.outside_links", "bool", "false", "GLS_DATASET_OUTSIDE_LINKS",
     "Whether files of a dataset folder may be symbolic links to places outside of it. The folder "
     "itself may always be a link."},
    {"device.cache", "fixed|adaptive|none", "fixed", "GLS_DEVICE_CACHE",
     "Which rows of a column that has no room as a whole lie in memory of the GPU: fixed is the "
     "hottest, chosen once; adaptive changes them for those that batches ask for. The bytes of a "
     "batch do not depend on it."},
    {"device.column_memory", "size", "0", "GLS_DEVICE_COLUMN_MEMORY",
     "Most memory of a GPU that columns of a dataset may take there, in the order in which loaders "
     "ask for them, each whole or, where it has no room, its hottest rows; 0 is half of what is "
     "free when the first does."},
    {"device.direct_storage", "bool", "false", "GLS_DEVICE_DIRECT_STORAGE",
     "Whether rows of columns in files for which a GPU has no room come from storage straight into "
     "its memory, by cuFile (GPUDirect Storage), and not from memory of the host. Where that "
     "cannot be, making a loader is an error."},
    {"device.graph_memory", "size", "0", "GLS_DEVICE_GRAPH_MEMORY",
     "Most memory of a GPU that the topology of a dataset may take there, each edge type whole or, "
     "where it has no room, the neighbours of its hottest nodes; 0 is half of what is free when it "
     "is first sampled. What has no room is read in place, in memory of the host."},
    {"device.group", "text", "", "GLS_DEVICE_GROUP",
     "GPUs that divide the hottest rows of a column among them and read each other's memory: "
     "numbers "
     "as 0,1,2,3 of GPUs of this process, several groups with a semicolon between them; or local, "
     "one of each process that a launcher started on this machine, local:4 four of these each. "
     "Empty: none. The bytes of a batch do not depend on it."},
    {"device.group_timeout_ms", "int", "30000", "GLS_DEVICE_GROUP_TIMEOUT_MS",
     "How long processes of a device group wait for each other when loaders are made, and, before "
     "memory is given back, when a dataset is released; 0 is without limit."},
    {"device.hot_ids", "text", "", "GLS_DEVICE_HOT_IDS",
     "Id set whose nodes are the hottest of their type, the hottest first; others, and types "
     "without such a set, are by the number of their edges."},
    {"device.kept_memory", "size", "0", "GLS_DEVICE_KEPT_MEMORY",
     "How much memory of a GPU stays with batches once they have given it back, counting what "
     "batches have: up to this it is kept for the next ones, and beyond it goes back to the GPU, "
     "for others; 0 is an eighth of its memory. The last loader that is made says it, for all of "
     "the process."},
    {"device.pin", "bool", "true", "GLS_DEVICE_PIN",
     "Whether a GPU reads columns for which it has no room in place, in memory of the host that is "
     "pinned for it where the system allows that; else the processor gathers their rows."},
    {"device.pinned_memory", "size", "0", "GLS_DEVICE_PINNED_MEMORY",
     "Most memory of the host that GPUs read in place, in this process: columns, topology and "
     "times "
     "for which they have no room. Beyond it the processor gathers rows, and samples; 0 is half of "
     "the memory that the process may use, and of copies its part of that among LOCAL_WORLD_SIZE."},
    {"device.sampling", "auto|device|host", "auto", "GLS_DEVICE_SAMPLING",
     "Where samplers and loaders with a GPU sample: auto is there for what it can; with device it "
     "is an error "
     "that it cannot. The bytes of a batch do not depend on it."},
    {"device.split_graph", "bool", "true", "GLS_DEVICE_SPLIT_GRAPH",
     "Whether of an edge type whose topology has no room on a GPU the neighbours of the hottest "
     "nodes lie there; else it is array by array."},
    {"gather.prefetch_rows", "int", "0", "GLS_GATHER_PREFETCH_ROWS",
     "How many rows ahead a feature gather asks memory for; 0 chooses by the width of a row."},
    {"gather.streaming", "auto|on|off", "auto", "GLS_GATHER_STREAMING",
     "Whether gathered rows are written past the caches."},
    {"log.level", "error|warn|info|debug|trace", "warn", "GLS_LOG_LEVEL",
     "Most verbose kind of line to report, unless the context was given a level."},
    {"memory.file_guard", "bool", "true", "GLS_MEMORY_FILE_GUARD",
     "Whether a mapped file that is cut short is an error. It needs a handler of SIGBUS, which the "
     "first context sets for the process; without it the process ends. Once set, the handler "
     "stays."},
    {"memory.huge_pages", "bool", "true", "GLS_MEMORY_HUGE_PAGES",
     "Whether to ask for 2 MiB pages for private topology, tables and batches."},
    {"memory.pool", "size", "2G", "GLS_MEMORY_POOL",
     "Most bytes of released batch memory to keep for reuse. Not set: at most a quarter of the "
     "memory that the process may use.",
     4},
    {"net.ca_file", "text", "", "GLS_NET_CA_FILE",
     "PEM file of the authorities that sign certificates of peers."},
    {"net.certificate_file", "text", "", "GLS_NET_CERTIFICATE_FILE",
     "PEM file of the own certificate and those that signed it."},
    {"net.certificate_key_file", "text", "", "GLS_NET_CERTIFICATE_KEY_FILE",
     "PEM file of the private key of the own certificate, not encrypted; only its owner may read "
     "it."},
    {"net.certificate_name", "text", "", "GLS_NET_CERTIFICATE_NAME",
     "Name that the certificate of a server must have; empty is the host that was connected to, * "
     "is any."},
    {"net.data", "tcp|ucx|ofi", "tcp", "GLS_NET_DATA",
     "What requests and replies go over: the connection itself, or channels of UCX or of libfabric "
     "(ofi) beside it, for fabrics with RDMA that nobody else reaches. The same on both sides."},
    {"net.data_devices", "text", "", "GLS_NET_DATA_DEVICES",
     "Interfaces that UCX opens its ports on, separated by commas, as eth1 or mlx5_0:1, or the one "
     "that libfabric does; needed for ucx and ofi."},
    {"net.data_transports", "text", "", "GLS_NET_DATA_TRANSPORTS",
     "Transports that UCX may choose among, as its UCX_TLS; empty is ib,tcp; with shm those who "
     "share memory do. Or providers of libfabric, separated by commas; empty is those for RDMA and "
     "the one for TCP."},
    {"net.device_memory", "auto|off|on", "off", "GLS_NET_DEVICE_MEMORY",
     "Whether rows that servers give go straight to memory of the GPU that they are for, over "
     "channels "
     "of net.data that can: auto is where those have RDMA and know such memory; on insists, and a "
     "loader with a GPU is an error where they do not."},
    {"net.io_threads", "int", "1", "GLS_NET_IO_THREADS",
     "Threads that read and write sockets, of each server and each opened graph."},
    {"net.key_file", "text", "", "GLS_NET_KEY_FILE",
     "File of the key that both sides of a connection have: at least 32 bytes, raw, hexadecimal or "
     "base64. Only its owner may read it."},
    {"net.key_variable", "text", "GLS_NET_KEY", "GLS_NET_KEY_VARIABLE",
     "Environment variable that holds that key where nothing else protects connections; "
     "hexadecimal "
     "or base64."},
    {"net.max_connections", "int", "16384", "GLS_NET_MAX_CONNECTIONS",
     "Connections that a server, or a process of a group, takes at once; a later one is refused. "
     "Each takes a descriptor, of which the system may allow less."},
    {"net.one_sided", "auto|off|on", "off", "GLS_NET_ONE_SIDED",
     "Whether rows are read out of the memory of servers, without a word to them, over channels of "
     "net.data that can: auto is where that is RDMA and was quicker when the graph was opened; on "
     "insists, and opening fails where it cannot be. On both sides."},
    {"net.peer_timeout_ms", "int", "5000", "GLS_NET_PEER_TIMEOUT_MS",
     "Silence after which the other end of a connection is lost."},
    {"net.plain", "bool", "false", "GLS_NET_PLAIN",
     "Whether connections are neither encrypted nor authenticated."},
    {"sample.direct_table", "size", "256M", "GLS_SAMPLE_DIRECT_TABLE",
     "Largest table indexed by node (4 bytes each) a sampling worker may use to relabel; graphs "
     "that need more use a hash table sized to the batch. Not set: at most a sixteenth of the "
     "memory that the process may use.",
     16},
    {"sample.row_times", "size", "8G", "GLS_SAMPLE_ROW_TIMES",
     "Most memory that times of edges may take in a dataset beside its columns: in the order of "
     "rows (4 or 8 bytes per edge and 9 per row), and of rows that are not stored in the order of "
     "time in that order, too (8 to 15 bytes per edge); filled as samplers meet rows and kept with "
     "the dataset. Where they would take more, such rows are read edge by edge. Not "
     "set: at most a quarter of the memory that the process may use.",
     4},
    {"sample.weight_tables", "size", "8G", "GLS_SAMPLE_WEIGHT_TABLES",
     "Most memory that alias tables of weights may take in a dataset (8 bytes per edge and 16 "
     "per row, made when a sampler first needs them and kept with the dataset); where they would "
     "take more, weighted sampling reads whole rows. Not set: at most half of the memory that the "
     "process may use.",
     2},
    {"storage.folder", "text", "", "GLS_STORAGE_FOLDER",
     "Folder for temporary files of loaders that plan their reads. The system removes the files "
     "when the process ends, however it ends. Not set: the folder of the largest column, TMPDIR "
     "or /var/tmp, the first that is on a disk and may be written to."},
    {"storage.memory", "size", "0", "GLS_STORAGE_MEMORY",
     "Memory of a loader whose columns or topology do not fit: topology, rows, plans and batches "
     "made ahead. Loaders at the same time divide the part for rows. 0: three quarters of the "
     "memory that the process may use."},
    {"storage.reads", "auto|io_uring|threads", "auto", "GLS_STORAGE_READS",
     "How planned loaders read and write files: by io_uring, or by threads that wait for each "
     "read. "
     "auto: io_uring where the system allows it; containers often do not."},
    {"storage.temporary_bytes", "size", "0", "GLS_STORAGE_TEMPORARY_BYTES",
     "Most bytes of rows and sampled batches in temporary files of one loader. 0: half of what is "
     "free."},
    {"storage.way", "auto|mapped|planned", "auto", "GLS_STORAGE_WAY",
     "How loaders read columns and topology in files. mapped: the system loads pages as they are "
     "touched. planned: the loader looks many batches ahead, keeps the rows that it needs soonest, "
     "and reads the others in the order of the file; so it does with a topology of more than half "
     "of storage.memory. auto: planned if the graph and the loader's columns exceed "
     "storage.memory. The bytes of a batch do not depend on it."},
    {"storage.window", "int", "0", "GLS_STORAGE_WINDOW",
     "Most batches that a planned loader plans at once, up to 1024. 0: as many as the memory "
     "allows."},
    {"threads", "int", "0", "GLS_THREADS",
     "Worker threads of a context that was not given a number; 0 is one per usable core."},
}};

struct Parts {
  std::string_view rest;
  std::optional<std::string_view> next() {
    if (rest.data() == nullptr) {
      return std::nullopt;
    }
    const size_t bar = rest.find('|');
    std::string_view part = rest.substr(0, bar);
    rest = bar == std::string_view::npos ? std::string_view() : rest.substr(bar + 1);
    return part;
  }
};

std::optional<size_t> find_choice(std::string_view choices, std::string_view value) {
  Parts parts{choices};
  for (size_t i = 0; auto part = parts.next(); ++i) {
    if (*part == value) {
      return i;
    }
  }
  return std::nullopt;
}

std::optional<bool> parse_bool(std::string_view text) {
  if (text == "true" || text == "1" || text == "on" || text == "yes") {
    return true;
  }
  if (text == "false" || text == "0" || text == "off" || text == "no") {
    return false;
  }
  return std::nullopt;
}

std::optional<int64_t> parse_int(std::string_view text) {
  int64_t value = 0;
  const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (ec != std::errc() || end != text.data() + text.size() || value < 0) {
    return std::nullopt;
  }
  return value;
}

Status check_value(const SettingSpec& spec, std::string_view name, std::string_view value) {
  const std::string_view type = spec.type;
  bool good = false;
  if (type == "int") {
    good = parse_int(value).has_value();
  } else if (type == "size") {
    good = parse_size(value).ok();
  } else if (type == "bool") {
    good = parse_bool(value).has_value();
  } else if (type == "text") {
    good = value.size() <= kMostText && value.find('\0') == std::string_view::npos;
  } else {
    good = find_choice(type, value).has_value();
  }
  if (good) {
    return {};
  }
  return invalid("{} is \"{}\", expected {}", name, value,
                 type == "int"    ? "a non-negative integer"
                 : type == "size" ? "a number of bytes such as 1048576, 64K, 2M or 1G"
                 : type == "bool" ? "true or false"
                 : type == "text" ? "a text of at most 4096 bytes"
                                  : spec.type)
      .with("argument", std::string(name))
      .with("setting", spec.key);
}

}  // namespace

std::span<const SettingSpec> setting_specs() { return kSpecs; }

Result<uint64_t> parse_size(std::string_view text) {
  uint64_t value = 0;
  const char* const last = text.data() + text.size();
  const auto [end, ec] = std::from_chars(text.data(), last, value);
  const std::string_view suffix(end, static_cast<size_t>(last - end));
  unsigned shift = 0;
  if (suffix == "K") {
    shift = 10;
  } else if (suffix == "M") {
    shift = 20;
  } else if (suffix == "G") {
    shift = 30;
  } else if (suffix == "T") {
    shift = 40;
  } else if (!suffix.empty()) {
    return invalid("\"{}\" is not a size: expected digits and K, M, G or T", text);
  }
  if (ec != std::errc() || value > (UINT64_MAX >> shift)) {
    return invalid("\"{}\" is not a size: expected digits and K, M, G or T", text);
  }
  return value << shift;
}

Settings::Settings(uint64_t memory) : memory_(memory) {
  for (size_t i = 0; i < kCount; ++i) {
    values_[i] = kSpecs[i].default_value;
  }
}

Settings::Settings(const Settings& other) {
  const std::lock_guard lock(other.mutex_);
  memory_ = other.memory_;
  values_ = other.values_;
  given_ = other.given_;
}

Settings& Settings::operator=(const Settings& other) {
  if (this != &other) {
    const std::scoped_lock lock(mutex_, other.mutex_);
    memory_ = other.memory_;
    values_ = other.values_;
    given_ = other.given_;
  }
  return *this;
}

Result<Settings> Settings::from_environment(uint64_t memory) {
  Settings settings(memory);
  for (size_t i = 0; i < kCount; ++i) {
    const SettingSpec& spec = kSpecs[i];
    if (const char* value = std::getenv(spec.env); value != nullptr && *value != '\0') {
      GLS_TRY(check_value(spec, formatted("environment variable {}", spec.env), value));
      settings.values_[i] = value;
      settings.given_[i] = true;
    }
  }
  return settings;
}

// Settings of the same group, or all groups if the group does not exist: "memory.*".
static std::string settings_like(std::string_view key) {
  const auto group_of = [](std::string_view of) { return of.substr(0, of.find('.')); };
  std::string alike;
  std::string groups;
  std::string_view last;
  for (const SettingSpec& spec : kSpecs) {
    const std::string_view group = group_of(spec.key);
    if (group == group_of(key)) {
      alike += formatted("{}{}", alike.empty() ? "" : ", ", spec.key);
    }
    if (group != last) {
      groups += formatted("{}{}{}", groups.empty() ? "" : ", ", group,
                          group == std::string_view(spec.key) ? "" : ".*");
      last = group;
    }
  }
  return alike.empty() ? groups : alike;
}

static Result<size_t> find_setting(std::string_view key) {
  for (size_t i = 0; i < kCount; ++i) {
    if (key == kSpecs[i].key) {
      return i;
    }
  }
  std::vector<std::string> keys;
  keys.reserve(kSpecs.size());
  for (const SettingSpec& spec : kSpecs) {
    keys.emplace_back(spec.key);
  }
  return not_found("there is no setting \"{}\"; there are: {}{}", key, settings_like(key),
                   did_you_mean(key, keys))
      .with("argument", "key")
      .with("setting", std::string(key));
}

Status Settings::set(std::string_view key, std::string_view value) {
  GLS_ASSIGN(const size_t index, find_setting(key));
  GLS_TRY(check_value(kSpecs[index], formatted("setting {}", key), value));
  const std::lock_guard lock(mutex_);
  values_[index] = value;
  given_[index] = true;
  return {};
}

Result<std::string> Settings::get(std::string_view key) const {
  GLS_ASSIGN(const size_t index, find_setting(key));
  const std::lock_guard lock(mutex_);
  return values_[index];
}

std::string Settings::text(Setting setting) const {
  const std::lock_guard lock(mutex_);
  return values_[static_cast<size_t>(setting)];
}

// Values were checked when they were set, so the parsers below cannot fail.
int64_t Settings::integer(Setting setting) const { return parse_int(text(setting)).value_or(0); }
uint64_t Settings::bytes(Setting setting) const {
  const auto index = static_cast<size_t>(setting);
  const uint64_t value = *parse_size(text(setting));
  const uint64_t parts = kSpecs[index].memory_parts;
  const std::lock_guard lock(mutex_);
  return parts == 0 || given_[index] ? value : std::min(value, memory_ / parts);
}
bool Settings::flag(Setting setting) const { return parse_bool(text(setting)).value_or(false); }
size_t Settings::choice(Setting setting) const {
  return find_choice(kSpecs[static_cast<size_t>(setting)].type, text(setting)).value_or(0);
}

}  // namespace gls
