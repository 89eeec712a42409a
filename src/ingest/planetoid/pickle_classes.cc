#include "ingest/planetoid/pickle_classes.h"

#include <algorithm>
#include <array>
#include <utility>

#include "ingest/common/text_value.h"
#include "tensor/dtype.h"

namespace gls {
namespace {

using Kind = PickleValue::Kind;
using Items = std::vector<const PickleValue*>;

constexpr std::array<std::string_view, 10> kGlobals = {
    "numpy.core.multiarray._reconstruct",
    "numpy._core.multiarray._reconstruct",
    "numpy.ndarray",
    "numpy.dtype",
    "scipy.sparse.csr.csr_matrix",
    "scipy.sparse._csr.csr_matrix",
    "collections.defaultdict",
    "__builtin__.list",
    "__builtin__.object",
    "copy_reg._reconstructor",
};

bool is_csr_class(const PickleValue& value) {
  return value.kind == Kind::kGlobal && value.text.ends_with(".csr_matrix");
}

Status unexpected_call(const PickleValue& callee) {
  return corrupt("{} is called in an unexpected way", callee.text);
}

// Converts "i4" to int32.
bool parse_numpy_type(std::string_view text, DLDataType* out) {
  if (text.size() != 2 || text[1] < '1' || text[1] > '8') {
    return false;
  }
  const auto bits = static_cast<uint8_t>((text[1] - '0') * 8);
  constexpr std::string_view kKinds = "biuf";
  constexpr std::array<uint8_t, 4> kCodes = {kDLBool, kDLInt, kDLUInt, kDLFloat};
  const size_t kind = kKinds.find(text[0]);
  if (kind == std::string_view::npos) {
    return false;
  }
  *out = {kCodes[kind], bits, 1};
  return dtype_supported(*out);
}

// The state is (version, shape, dtype, is Fortran, bytes).
Status set_array_state(const Items& state, PickleValue* target) {
  if (state.size() != 5 || state[1]->kind != Kind::kTuple || state[2]->kind != Kind::kDtype ||
      state[3]->kind != Kind::kInt || state[4]->kind != Kind::kText) {
    return corrupt("an array has an unexpected state");
  }
  auto array = std::make_unique<PickleArray>();
  if (!parse_numpy_type(state[2]->text, &array->dtype)) {
    return error(GLS_ERR_UNSUPPORTED, "an array holds \"{}\", which is no fixed-width number",
                 shown(state[2]->text));
  }
  constexpr size_t kMaxDims = 2;  // matrices of labels
  if (state[1]->items.size() > kMaxDims) {
    return error(GLS_ERR_UNSUPPORTED, "an array has {} dimensions, expected at most {}",
                 state[1]->items.size(), kMaxDims);
  }
  auto size = static_cast<int64_t>(dtype_bytes(array->dtype));
  for (const PickleValue* extent : state[1]->items) {
    if (extent->kind != Kind::kInt || extent->integer < 0 ||
        __builtin_mul_overflow(size, extent->integer, &size)) {
      return corrupt("an array has an impossible shape");
    }
    array->shape.push_back(extent->integer);
  }
  array->fortran = state[3]->integer != 0 && array->shape.size() > 1;
  array->data = state[4]->text;
  if (array->data.size() != static_cast<size_t>(size)) {
    return corrupt("an array has {} bytes, expected {}", array->data.size(), size);
  }
  target->array = std::move(array);
  return {};
}

}  // namespace

Status check_pickle_global(std::string_view name) {
  if (std::find(kGlobals.begin(), kGlobals.end(), name) != kGlobals.end()) {
    return {};
  }
  return error(GLS_ERR_UNSUPPORTED,
               "the pickle names {}, which is not among the classes of plain data that are read",
               shown(name));
}

Status call_pickle_global(const PickleValue& callee, const Items& arguments, PickleValue* out) {
  if (callee.text == "collections.defaultdict") {
    out->kind = Kind::kDict;
    return {};
  }
  if (arguments.empty()) {
    return unexpected_call(callee);
  }
  const PickleValue& first = *arguments.front();
  if (callee.text.ends_with("._reconstruct") && first.kind == Kind::kGlobal &&
      first.text == "numpy.ndarray") {
    out->kind = Kind::kArray;
  } else if (callee.text == "numpy.dtype" && first.kind == Kind::kText) {
    out->kind = Kind::kDtype;
    out->text = first.text;
  } else if (callee.text == "copy_reg._reconstructor" && is_csr_class(first)) {
    out->kind = Kind::kMatrix;
  } else {
    return unexpected_call(callee);
  }
  return {};
}

Status make_pickle_object(const PickleValue& callee, const Items& arguments, PickleValue* out) {
  if (!is_csr_class(callee) || !arguments.empty()) {
    return unexpected_call(callee);
  }
  out->kind = Kind::kMatrix;
  return {};
}

Status set_pickle_state(const PickleValue& state, PickleValue* target) {
  if (target->kind == Kind::kMatrix && state.kind == Kind::kDict) {
    target->items = {&state};
    return {};
  }
  if (target->kind == Kind::kDtype && state.kind == Kind::kTuple && state.items.size() >= 2 &&
      state.items[1]->kind == Kind::kText) {
    return state.items[1]->text == ">" ? error(GLS_ERR_UNSUPPORTED, "an array is big-endian")
                                       : Status();
  }
  if (target->kind == Kind::kArray && state.kind == Kind::kTuple) {
    return set_array_state(state.items, target);
  }
  return corrupt("an object has an unexpected state");
}

}  // namespace gls
