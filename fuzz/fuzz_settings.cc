// Settings: keys and values from a program, and values from the environment, as lines of
// "key=value".
#include <cstdlib>

#include "context/settings.h"
#include "input.h"

namespace {

// Reads accepted values in every way.
void read_all(const gls::Settings& settings) {
  for (size_t i = 0; i < static_cast<size_t>(gls::Setting::kCount); ++i) {
    const auto setting = static_cast<gls::Setting>(i);
    const std::string type = gls::setting_specs()[i].type;
    if (type == "int") {
      CLAIM(settings.integer(setting) >= 0);
    } else if (type == "size") {
      static_cast<void>(settings.bytes(setting));
    } else if (type == "bool") {
      static_cast<void>(settings.flag(setting));
    } else {
      CLAIM(settings.choice(setting) <= type.size());
    }
  }
}

void read_environment(const gls::SettingSpec& spec, const std::string& value) {
  const std::string text = value.substr(0, value.find('\0'));
  CLAIM(setenv(spec.env, text.c_str(), 1) == 0);
  gls::Result<gls::Settings> settings = gls::Settings::from_environment();
  CLAIM(unsetenv(spec.env) == 0);
  if (settings.ok()) {
    read_all(*settings);
  } else {
    gls::fuzz::claim_error(settings.status());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace gls;
  Settings settings = *Settings::from_environment();
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    const size_t equals = std::min(line.find('='), line.size());
    const std::string key(line.substr(0, equals));
    const std::string value(line.substr(std::min(equals + 1, line.size())));
    const Status status = settings.set(key, value);
    if (status.ok()) {
      CLAIM(*settings.get(key) == value);
    } else {
      fuzz::claim_error(status);
    }
    for (const SettingSpec& spec : setting_specs()) {
      if (key == spec.env) {
        read_environment(spec, value);
      }
    }
    Result<uint64_t> bytes = parse_size(value);
    CLAIM(bytes.ok() || bytes.status().code() == GLS_ERR_INVALID_ARGUMENT);
  }
  read_all(settings);
  return 0;
}
