#include "base/status.h"

#include <cerrno>
#include <system_error>

namespace gls {

Status::Rep Status::no_memory{GLS_ERR_OUT_OF_MEMORY, "out of memory", {}};

Status Status::out_of_memory() noexcept {
  Status out;
  out.rep_.reset(&no_memory);
  return out;
}

void Status::make_own() {
  if (rep_.get() == &no_memory) {
    rep_.reset(new Rep(no_memory));
  }
}

const std::string& Status::message() const {
  static const std::string empty;
  return rep_ ? rep_->message : empty;
}

Status&& Status::with(std::string key, std::string value) && {
  if (rep_ && detail(key) == nullptr) {  // the first detail is the most precise
    make_own();
    rep_->details.emplace_back(std::move(key), std::move(value));
  }
  return std::move(*this);
}

const std::string* Status::detail(std::string_view key) const {
  if (rep_) {
    for (const auto& [name, value] : rep_->details) {
      if (name == key) {
        return &value;
      }
    }
  }
  return nullptr;
}

bool Status::has(std::string_view key, std::string_view value) const {
  const std::string* const found = detail(key);
  return found != nullptr && *found == value;
}

const std::string* Status::detail_key(size_t index) const {
  return rep_ && index < rep_->details.size() ? &rep_->details[index].first : nullptr;
}

Status&& Status::prefixed(std::string_view words) && {
  if (rep_) {
    make_own();
    rep_->message.insert(0, words);
  }
  return std::move(*this);
}

Status Status::copy() const {
  Status out;
  if (rep_) {
    out.rep_.reset(new Rep(*rep_));
  }
  return out;
}

Status io_error(std::string_view what, std::string_view path, int errno_value) {
  const gls_status_t code = errno_value == ENOENT   ? GLS_ERR_NOT_FOUND
                            : errno_value == ENOMEM ? GLS_ERR_OUT_OF_MEMORY
                                                    : GLS_ERR_IO;
  return error(code, "{} {}: {}", what, path, std::generic_category().message(errno_value))
      .with("file", std::string(path));
}

}  // namespace gls
