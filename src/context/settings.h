// The registry of settings. One table holds the key, type, default, environment variable and help
// text of each. Documentation and checks are made from it, so they cannot differ from the code.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <string_view>

#include "base/status.h"
#include "system/cpu.h"

namespace gls {

enum class Setting : size_t {
  kClusterBatchMemory,
  kClusterOpenTimeout,
  kClusterRequestTimeout,
  kClusterSameHost,
  kCpuSimd,
  kDatasetOutsideLinks,
  kDeviceCache,
  kDeviceColumnMemory,
  kDeviceDirectStorage,
  kDeviceGraphMemory,
  kDeviceGroup,
  kDeviceGroupTimeout,
  kDeviceHotIds,
  kDeviceKeptMemory,
  kDevicePin,
  kDevicePinnedMemory,
  kDeviceSampling,
  kDeviceSplitGraph,
  kGatherPrefetchRows,
  kGatherStreaming,
  kLogLevel,
  kMemoryFileGuard,
  kMemoryHugePages,
  kMemoryPool,
  kNetCaFile,
  kNetCertificateFile,
  kNetCertificateKeyFile,
  kNetCertificateName,
  kNetData,
  kNetDataDevices,
  kNetDataTransports,
  kNetDeviceMemory,
  kNetIoThreads,
  kNetKeyFile,
  kNetKeyVariable,
  kNetMaxConnections,
  kNetOneSided,
  kNetPeerTimeout,
  kNetPlain,
  kSampleDirectTable,
  kSampleRowTimes,
  kSampleWeightTables,
  kStorageFolder,
  kStorageMemory,
  kStorageReads,
  kStorageTemporaryBytes,
  kStorageWay,
  kStorageWindow,
  kThreads,
  kCount
};

struct SettingSpec {
  const char* key;
  const char* type;
  const char* default_value;
  const char* env;
  const char* help;
  // For a "size" that was not set: it is at most this part of the memory that the process may use
  // (4: a quarter). 0: the default always applies.
  uint64_t memory_parts = 0;
};

std::span<const SettingSpec> setting_specs();  // indexed by Setting, keys ascending

class Settings {
 public:
  // Starts with defaults, then applies the environment. A bad value in the environment is an error
  // that names the variable. `memory` is what the process may use.
  static Result<Settings> from_environment(uint64_t memory = usable_memory());

  Settings(const Settings& other);
  Settings& operator=(const Settings& other);

  Status set(std::string_view key, std::string_view value);
  Result<std::string> get(std::string_view key) const;

  std::string text(Setting setting) const;
  int64_t integer(Setting setting) const;  // of "int"
  // For "size". A value that was not set is bounded by `memory_parts`.
  uint64_t bytes(Setting setting) const;
  bool flag(Setting setting) const;      // of "bool"
  size_t choice(Setting setting) const;  // of "a|b|c": the position

 private:
  explicit Settings(uint64_t memory);
  uint64_t memory_;           // that the process may use
  mutable std::mutex mutex_;  // values may change while other threads create objects
  std::array<std::string, static_cast<size_t>(Setting::kCount)> values_;
  std::array<bool, static_cast<size_t>(Setting::kCount)> given_{};
};

// "64K", "2M", "1G", "3T" (powers of 1024) or a plain number of bytes.
Result<uint64_t> parse_size(std::string_view text);

}  // namespace gls
