#include "format/npy.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <limits>

namespace gls {
namespace {

constexpr char kMagic[] = "\x93NUMPY";
constexpr size_t kMagicSize = 6;
constexpr size_t kMaxHeader = size_t{1} << 16;
constexpr size_t kMaxDims = 16;

Status bad_npy(std::string_view path, std::string text) {
  return corrupt("{}: {}", path, text).with("file", std::string(path));
}
Status unsupported_npy(std::string_view path, std::string text) {
  return error(GLS_ERR_UNSUPPORTED, "{}: {}", path, text).with("file", std::string(path));
}

// The header is a Python dict literal with three known keys: {'descr': '<f4', 'fortran_order':
// False, 'shape': (3, 4), }. This class reads exactly that, with any white space and key order.
class DictReader {
 public:
  explicit DictReader(std::string_view text) : rest_(text) {}

  bool take(char c) {
    skip_blanks();
    if (rest_.empty() || rest_.front() != c) {
      return false;
    }
    rest_.remove_prefix(1);
    return true;
  }
  bool take_word(std::string_view word) {
    skip_blanks();
    if (!rest_.starts_with(word)) {
      return false;
    }
    rest_.remove_prefix(word.size());
    return true;
  }
  bool string(std::string_view* out) {
    skip_blanks();
    if (rest_.empty() || (rest_.front() != '\'' && rest_.front() != '"')) {
      return false;
    }
    const size_t end = rest_.find(rest_.front(), 1);
    if (end == std::string_view::npos) {
      return false;
    }
    *out = rest_.substr(1, end - 1);
    rest_.remove_prefix(end + 1);
    return true;
  }
  bool number(int64_t* out) {
    skip_blanks();
    const auto [end, ec] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), *out);
    if (ec != std::errc()) {
      return false;
    }
    rest_.remove_prefix(static_cast<size_t>(end - rest_.data()));
    take('L');  // long integers of Python 2
    return true;
  }
  bool at_end() {
    skip_blanks();
    return rest_.empty();
  }

 private:
  void skip_blanks() {
    const size_t first = rest_.find_first_not_of(" \t\r\n");
    rest_.remove_prefix(first == std::string_view::npos ? rest_.size() : first);
  }
  std::string_view rest_;
};

bool read_shape(DictReader& in, std::vector<int64_t>* shape) {
  if (!in.take('(')) {
    return false;
  }
  while (!in.take(')')) {
    int64_t size = 0;
    if (shape->size() == kMaxDims || !in.number(&size) || size < 0) {
      return false;
    }
    shape->push_back(size);
    if (!in.take(',')) {
      return in.take(')');
    }
  }
  return true;
}

struct Dict {
  std::string_view descr;
  bool fortran = false;
  std::vector<int64_t> shape;
};

bool read_dict(std::string_view text, Dict* out) {
  DictReader in(text);
  bool have_descr = false;
  bool have_order = false;
  bool have_shape = false;
  if (!in.take('{')) {
    return false;
  }
  while (!in.take('}')) {
    std::string_view key;
    if (!in.string(&key) || !in.take(':')) {
      return false;
    }
    if (key == "descr" && !have_descr) {
      have_descr = true;
      if (!in.string(&out->descr)) {
        // A structured type is a list: the file is not damaged, but not a plain array either.
        out->descr = "[...]";
        return true;
      }
    } else if (key == "fortran_order" && !have_order) {
      have_order = true;
      out->fortran = in.take_word("True");
      if (!out->fortran && !in.take_word("False")) {
        return false;
      }
    } else if (key == "shape" && !have_shape) {
      have_shape = true;
      if (!read_shape(in, &out->shape)) {
        return false;
      }
    } else {
      return false;
    }
    if (!in.take(',')) {
      if (!in.take('}')) {
        return false;
      }
      break;
    }
  }
  return have_descr && have_order && have_shape && in.at_end();
}

// Converts "<f4" to float32. The byte order mark may be '|' or '=' where order does not matter or
// is native.
bool read_descr(std::string_view descr, DLDataType* out) {
  if (descr.size() < 3) {
    return false;
  }
  unsigned bytes = 0;
  const auto [end, ec] = std::from_chars(descr.data() + 2, descr.data() + descr.size(), bytes);
  if (ec != std::errc() || end != descr.data() + descr.size() || bytes == 0 || bytes > 8) {
    return false;
  }
  const auto bits = static_cast<uint8_t>(bytes * 8);
  switch (descr[1]) {
    case 'b':
      *out = {kDLBool, bits, 1};
      break;
    case 'i':
      *out = {kDLInt, bits, 1};
      break;
    case 'u':
      *out = {kDLUInt, bits, 1};
      break;
    case 'f':
      *out = {kDLFloat, bits, 1};
      break;
    case 'V':
      *out = {kDLBfloat, bits, 1};
      break;
    default:
      return false;
  }
  return dtype_supported(*out);
}

std::string descr_of(DLDataType dtype) {
  const char order = dtype.bits == 8 ? '|' : '<';
  const char kind = dtype.code == kDLBool    ? 'b'
                    : dtype.code == kDLInt   ? 'i'
                    : dtype.code == kDLUInt  ? 'u'
                    : dtype.code == kDLFloat ? 'f'
                                             : 'V';
  return formatted("{}{}{}", order, kind, dtype.bits / 8);
}

std::string header_text(DLDataType dtype, std::span<const int64_t> shape, size_t min_size) {
  std::string dims;
  for (const int64_t size : shape) {
    dims += formatted("{}, ", size);
  }
  if (shape.size() > 1) {
    dims.resize(dims.size() - 2);
  } else if (!dims.empty()) {
    dims.pop_back();
  }
  std::string dict = formatted("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}",
                               descr_of(dtype), dims);
  const size_t fixed = kMagicSize + 2 + 2;
  size_t total = (fixed + dict.size() + 1 + 63) / 64 * 64;
  total = std::max(total, min_size);
  dict.resize(total - fixed - 1, ' ');
  const auto length = static_cast<uint16_t>(dict.size() + 1);
  std::string out(kMagic, kMagicSize);
  out += '\x01';
  out += '\x00';
  out += static_cast<char>(length & 0xff);
  out += static_cast<char>(length >> 8);
  return out + dict + "\n";
}

}  // namespace

Result<NpyHeader> parse_npy_header(std::span<const std::byte> bytes, std::string_view path) {
  const auto* text = reinterpret_cast<const char*>(bytes.data());
  if (bytes.size() < kMagicSize + 4 || std::memcmp(text, kMagic, kMagicSize) != 0) {
    return bad_npy(path, "not a NumPy .npy file (wrong magic)");
  }
  const int major = static_cast<unsigned char>(text[6]);
  if (major < 1 || major > 3) {
    return unsupported_npy(path, formatted(".npy format {} is not known, expected 1 to 3", major));
  }
  const auto octet = [&](size_t i) { return size_t{static_cast<unsigned char>(text[i])}; };
  size_t start = kMagicSize + 4;
  size_t length = octet(8) | octet(9) << 8;
  if (major >= 2) {
    if (bytes.size() < kMagicSize + 6) {
      return bad_npy(path, "truncated .npy header");
    }
    length |= octet(10) << 16 | octet(11) << 24;
    start += 2;
  }
  if (length > kMaxHeader || start + length > bytes.size()) {
    return bad_npy(path, "truncated .npy header");
  }
  Dict dict;
  if (!read_dict({text + start, length}, &dict)) {
    return bad_npy(path, "damaged .npy header");
  }
  NpyHeader header{{}, std::move(dict.shape), start + length};
  if (dict.descr.size() > 1 && dict.descr[0] == '>') {
    return unsupported_npy(path, "big-endian data; convert it to little-endian");
  }
  if (!read_descr(dict.descr, &header.dtype)) {
    return unsupported_npy(path, formatted("dtype '{}' is not a fixed-width number", dict.descr));
  }
  if (dict.fortran && header.shape.size() > 1) {
    return unsupported_npy(path, "Fortran order; save the array in C order");
  }
  return header;
}

std::string make_npy_header(DLDataType dtype, std::span<const int64_t> shape) {
  return header_text(dtype, shape, 0);
}

Result<Tensor> map_npy(const std::string& path) {
  GLS_ASSIGN(std::shared_ptr<const MappedFile> file, MappedFile::open(path));
  return npy_tensor(std::move(file));
}

Result<Tensor> npy_tensor(std::shared_ptr<const MappedFile> file) {
  const std::string& path = file->path();
  const std::span<const std::byte> bytes = file->bytes();
  GLS_ASSIGN(NpyHeader header, parse_npy_header(bytes, path));
  if (header.shape.empty()) {
    return unsupported_npy(path, "the array is a scalar, expected at least one dimension");
  }
  // Also checked for an empty array, because callers multiply some of its extents.
  auto size = static_cast<int64_t>(dtype_bytes(header.dtype));
  bool empty = false;
  for (const int64_t extent : header.shape) {
    empty |= extent == 0;
    if (__builtin_mul_overflow(size, std::max<int64_t>(extent, 1), &size)) {
      return bad_npy(path, formatted("impossible shape {}", shape_text(header.shape)));
    }
  }
  size = empty ? 0 : size;
  const size_t have = bytes.size() - header.data_offset;
  if (have != static_cast<size_t>(size)) {
    return bad_npy(path, formatted("{} bytes of data, expected {} for shape {} of {}", have, size,
                                   shape_text(header.shape), dtype_name(header.dtype)));
  }
  const std::byte* data = bytes.data() + header.data_offset;
  if (reinterpret_cast<uintptr_t>(data) % dtype_bytes(header.dtype) != 0) {
    return unsupported_npy(path, "data is not aligned to its elements; save the array anew");
  }
  return Tensor(std::move(file), data, header.dtype, std::move(header.shape));
}

// ---- NpyWriter ---------------------------------------------------------------------------------

NpyWriter::NpyWriter(std::optional<FileWriter> file, DLDataType dtype,
                     std::span<const int64_t> row_shape)
    : file_(std::move(file)), dtype_(dtype), row_shape_(row_shape.begin(), row_shape.end()) {}

std::string NpyWriter::header() const {
  std::vector<int64_t> shape = {std::numeric_limits<int64_t>::max()};
  shape.insert(shape.end(), row_shape_.begin(), row_shape_.end());
  const size_t longest = header_text(dtype_, shape, 0).size();
  shape[0] = rows_;
  return header_text(dtype_, shape, longest);
}

Result<NpyWriter> NpyWriter::create(const std::string& path, DLDataType dtype,
                                    std::span<const int64_t> row_shape) {
  GLS_ASSIGN(FileWriter file, FileWriter::create(path));
  NpyWriter writer(std::move(file), dtype, row_shape);
  const std::string header = writer.header();
  GLS_TRY(writer.file_->write(std::as_bytes(std::span(header))));
  return writer;
}

Status NpyWriter::append(std::span<const std::byte> bytes, int64_t rows) {
  checksum_.update(bytes);
  data_bytes_ += bytes.size();
  rows_ += rows;
  return file_ ? file_->write(bytes) : Status();
}

NpyWriter NpyWriter::measuring(DLDataType dtype, std::span<const int64_t> row_shape) {
  return NpyWriter(std::nullopt, dtype, row_shape);
}

Status NpyWriter::finish() {
  if (!file_) {
    return {};
  }
  const std::string text = header();
  GLS_TRY(file_->write_at(0, std::as_bytes(std::span(text))));
  return file_->close(true);
}

}  // namespace gls
