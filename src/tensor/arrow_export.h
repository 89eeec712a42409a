// Arrow structs of the library's own memory.
#pragma once

#include <gls.h>

#include <memory>
#include <string>
#include <vector>

#include "tensor/tensor.h"

namespace gls {

// Calls `release` of an Arrow struct, once.
template <typename Struct>
struct ArrowOwned : Struct {
  ArrowOwned() : Struct{} {}
  ~ArrowOwned() { clear(); }
  ArrowOwned(const ArrowOwned&) = delete;
  ArrowOwned& operator=(const ArrowOwned&) = delete;
  void clear() {
    if (this->release != nullptr) {
      this->release(this);
      this->release = nullptr;
    }
  }
  // Moves it to the caller's struct.
  void move_to(Struct* out) {
    *out = *this;
    this->release = nullptr;
  }
};

// A field of a schema, made before it becomes Arrow's struct.
struct ArrowFieldSpec {
  std::string name;
  std::string format;
  std::vector<ArrowFieldSpec> children{};
};
// Throws std::bad_alloc, and then changes nothing.
void make_arrow_schema(const ArrowFieldSpec& field, ArrowSchema* out);

// An array, made before it becomes Arrow's struct: no nulls, no dictionary.
struct ArrowArraySpec {
  int64_t length = 0;
  std::vector<const void*>
      buffers{};  // the first is the validity, NULL; lists and structs: only it
  std::vector<ArrowArraySpec> children{};
};
// `owner` keeps all buffers.
void make_arrow_array(const ArrowArraySpec& array, const std::shared_ptr<const void>& owner,
                      ArrowArray* out);

// The field of a tensor: fixed-size lists for rows. `logical_type` as in Column.
Result<ArrowFieldSpec> arrow_field_of(const std::string& name, DLDataType dtype,
                                      const std::vector<int64_t>& shape,
                                      const std::string& logical_type = {});
// The rows [begin, begin + count) of a tensor on the host, whose field arrow_field_of() gave.
// Contiguous numbers are used in place, others copied; `owners` gets what keeps the memory.
ArrowArraySpec arrow_rows_of(const Tensor& tensor, int64_t begin, int64_t count,
                             std::vector<std::shared_ptr<const void>>* owners);

}  // namespace gls
