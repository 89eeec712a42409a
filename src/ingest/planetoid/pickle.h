// Reads Python pickles of plain data, and of the few classes in published graph files. It supports
// protocols 0 to 2 with dicts, lists, tuples, numbers, strings, NumPy arrays and SciPy CSR
// matrices. Nothing is executed: any other class or function is an error that names it.
#pragma once

#include <gls.h>

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "system/file.h"

namespace gls {

struct PickleArray {
  DLDataType dtype{};
  std::vector<int64_t> shape;
  bool fortran = false;
  std::string_view data;  // its length matches the shape

  int64_t size() const;
  // Elements in the order of the file.
  double real(int64_t index) const;
  int64_t integer(int64_t index) const;
};

struct PickleValue {
  enum class Kind : uint8_t {
    kNone,
    kInt,  // bool, too
    kReal,
    kText,  // str, unicode
    kTuple,
    kList,
    kDict,  // defaultdict, too; keys and values alternate
    kGlobal,
    kDtype,
    kArray,
    kMatrix  // csr_matrix; its one item is the dict of its attributes
  };
  Kind kind = Kind::kNone;
  int64_t integer = 0;
  double real = 0;
  std::string_view text;
  std::vector<const PickleValue*> items;
  std::unique_ptr<PickleArray> array;

  // The value of a text key or of an attribute; NULL: not found.
  const PickleValue* find(std::string_view key) const;
};

class Pickle {
 public:
  static Result<Pickle> load(const std::string& path);
  const PickleValue& root() const { return *root_; }
  const std::string& path() const { return file_->path(); }
  size_t file_size() const { return file_->bytes().size(); }

 private:
  friend class PickleReader;
  explicit Pickle(std::shared_ptr<const MappedFile> file) : file_(std::move(file)) {}

  std::shared_ptr<const MappedFile> file_;
  std::deque<PickleValue> values_;  // values may refer to each other in cycles, but own nothing
  std::deque<std::string> texts_;   // strings that were written with escapes
  const PickleValue* root_ = nullptr;
};

}  // namespace gls
