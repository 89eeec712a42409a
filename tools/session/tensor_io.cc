#include "session/tensor_io.h"

#include <array>
#include <bit>
#include <cerrno>
#include <cstdio>
#include <memory>

#include "terminal/text.h"

namespace gls::tool {
namespace {

static_assert(std::endian::native == std::endian::little, ".npy files are written as memory is");

struct NamedDtype {
  const char* name;
  const char* descr;  // NumPy's code
  DLDataType dtype;
};
constexpr std::array<NamedDtype, 13> kDtypes = {{{"bool", "|b1", {kDLBool, 8, 1}},
                                                 {"int8", "|i1", {kDLInt, 8, 1}},
                                                 {"int16", "<i2", {kDLInt, 16, 1}},
                                                 {"int32", "<i4", {kDLInt, 32, 1}},
                                                 {"int64", "<i8", {kDLInt, 64, 1}},
                                                 {"uint8", "|u1", {kDLUInt, 8, 1}},
                                                 {"uint16", "<u2", {kDLUInt, 16, 1}},
                                                 {"uint32", "<u4", {kDLUInt, 32, 1}},
                                                 {"uint64", "<u8", {kDLUInt, 64, 1}},
                                                 {"float16", "<f2", {kDLFloat, 16, 1}},
                                                 {"bfloat16", "|V2", {kDLBfloat, 16, 1}},
                                                 {"float32", "<f4", {kDLFloat, 32, 1}},
                                                 {"float64", "<f8", {kDLFloat, 64, 1}}}};

const NamedDtype* find_dtype(DLDataType dtype) {
  for (const NamedDtype& named : kDtypes) {
    if (named.dtype.code == dtype.code && named.dtype.bits == dtype.bits && dtype.lanes == 1) {
      return &named;
    }
  }
  return nullptr;
}

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

}  // namespace

std::string dtype_name(DLDataType dtype) {
  const NamedDtype* const named = find_dtype(dtype);
  return named != nullptr
             ? named->name
             : formatted("code {}, {} bits, {} lanes", dtype.code, dtype.bits, dtype.lanes);
}

bool is_dtype_name(const std::string& text) {
  for (const NamedDtype& named : kDtypes) {
    if (text == named.name) {
      return true;
    }
  }
  return false;
}

size_t element_bytes(DLDataType dtype) { return size_t{dtype.bits} * dtype.lanes / 8; }

std::string shape_text(const int64_t* shape, int32_t ndim) {
  std::string out;
  for (int32_t i = 0; i < ndim; ++i) {
    out += formatted("{}{}", i > 0 ? " x " : "", shape[i]);
  }
  return out;
}

uint64_t tensor_bytes(const Tensor& tensor) {
  uint64_t bytes = element_bytes(tensor.view().dtype);
  for (int32_t i = 0; i < tensor.view().ndim; ++i) {
    bytes *= static_cast<uint64_t>(tensor.size(i));
  }
  return bytes;
}

int64_t integer_at(const Tensor& tensor, int64_t index) {
  return tensor.view().dtype.bits == 64 ? tensor.data<int64_t>()[index]
                                        : int64_t{tensor.data<int32_t>()[index]};
}

Json integers_json(const Tensor& tensor) {
  Json out = Json::array();
  for (int64_t i = 0; i < tensor.size(0); ++i) {
    out.push_back(integer_at(tensor, i));
  }
  return out;
}

Tensor row_of(const Tensor& matrix, int64_t row, const std::shared_ptr<Tensor>& owner) {
  DLTensor view = matrix.view();
  view.byte_offset += static_cast<uint64_t>(row * view.strides[0]) * element_bytes(view.dtype);
  view.shape += 1;
  view.strides += 1;
  view.ndim -= 1;
  auto held = std::make_unique<std::shared_ptr<Tensor>>(owner);
  return Tensor::wrap(view, true, held.release(),
                      [](void* data) { delete static_cast<std::shared_ptr<Tensor>*>(data); });
}

void write_npy(const std::filesystem::path& path, const Tensor& tensor) {
  const DLTensor& view = tensor.view();
  const NamedDtype* const named = find_dtype(view.dtype);
  if (named == nullptr) {
    throw Failure(
        formatted("cannot write {}: no .npy has dtype {}", path.string(), dtype_name(view.dtype)),
        path.string());
  }
  std::string shape;
  for (int32_t i = 0; i < view.ndim; ++i) {
    shape += formatted("{}, ", view.shape[i]);
  }
  std::string header =
      formatted("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", named->descr, shape);
  // Magic, version and length take 10 bytes; the data begin at a multiple of 64.
  header.append(63 - (10 + header.size()) % 64, ' ');
  header += '\n';
  const std::string magic = {'\x93',
                             'N',
                             'U',
                             'M',
                             'P',
                             'Y',
                             1,
                             0,
                             static_cast<char>(header.size() & 0xff),
                             static_cast<char>(header.size() >> 8)};
  const std::unique_ptr<std::FILE, CloseFile> file(std::fopen(path.c_str(), "wbx"));
  if (file == nullptr) {
    throw system_failure("cannot create", path.string(), errno);
  }
  const uint64_t bytes = tensor_bytes(tensor);
  const bool written = std::fwrite(magic.data(), 1, magic.size(), file.get()) == magic.size() &&
                       std::fwrite(header.data(), 1, header.size(), file.get()) == header.size() &&
                       std::fwrite(tensor.data<char>(), 1, bytes, file.get()) == bytes &&
                       std::fflush(file.get()) == 0;
  if (!written) {
    throw system_failure("cannot write", path.string(), errno);
  }
}

}  // namespace gls::tool
