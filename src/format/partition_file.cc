#include "format/partition_file.h"

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "format/json_schema.h"
#include "format/manifest.h"
#include "format/sealed_json.h"
#include "partition_bfbs_generated.h"
#include "tensor/codebook.h"
#include "tensor/tensor.h"

namespace gls {
namespace {

std::span<const uint8_t> partition_schema() {
  return {format::PartitionBinarySchema::data(), format::PartitionBinarySchema::size()};
}

// The product of extents; not set: it exceeds 64 bits, even if another extent is 0.
std::optional<int64_t> elements_of(std::span<const int64_t> shape) {
  int64_t largest = 1;
  int64_t product = 1;
  for (const int64_t extent : shape) {
    if (__builtin_mul_overflow(largest, std::max<int64_t>(extent, 1), &largest)) {
      return std::nullopt;
    }
    product *= extent;
  }
  return product;
}

std::optional<int64_t> byte_size(std::span<const int64_t> shape, DLDataType dtype) {
  std::vector<int64_t> with_element(shape.begin(), shape.end());
  with_element.push_back(static_cast<int64_t>(dtype_bytes(dtype)));
  return elements_of(with_element);
}

class PartitionChecker {
 public:
  PartitionChecker(const format::PartitionT& partition, std::string_view file)
      : partition_(partition), file_(file) {}

  Status check() const {
    if (partition_.format != kPartitionFormat) {
      return bad("format is \"{}\", expected \"{}\"", partition_.format, kPartitionFormat);
    }
    if (partition_.version == 0 || partition_.version > kPartitionVersion) {
      return error(
                 GLS_ERR_UNSUPPORTED,
                 "{}: partition format version {} is not known to this library (it reads 1 to {})",
                 file_, partition_.version, kPartitionVersion)
          .with("file", std::string(file_));
    }
    if (partition_.parts < 1 || partition_.parts > kMaxParts) {
      return bad("{} parts, expected 1 to {}", partition_.parts, kMaxParts);
    }
    if (!is_hex64(partition_.graph)) {
      return bad("graph is \"{}\", expected 16 hexadecimal digits", partition_.graph);
    }
    GLS_TRY(check_manifest(*partition_.whole, file_));
    GLS_TRY(check_shapes());
    return check_books();
  }

 private:
  template <typename... Args>
  Status bad(fmt::format_string<Args...> text, Args&&... args) const {
    return corrupt("{}: {}", file_, formatted(text, std::forward<Args>(args)...))
        .with("file", std::string(file_));
  }

  // The whole graph's columns have no files to compare with, and readers multiply these numbers.
  Status check_shapes() const {
    for (const auto& type : partition_.whole->node_types) {
      for (const auto& column : type->columns) {
        GLS_TRY(check_column(*column, type->count, type->name));
      }
    }
    for (const auto& type : partition_.whole->edge_types) {
      for (const auto& column : type->columns) {
        GLS_TRY(check_column(*column, type->count, type->relation));
      }
    }
    return {};
  }

  Status check_column(const format::ColumnT& column, int64_t count, const std::string& type) const {
    Result<DLDataType> dtype = parse_dtype(column.array->dtype);
    if (!dtype.ok()) {
      return bad("column \"{}\" of \"{}\": {}", column.name, type, dtype.status().message());
    }
    std::vector<int64_t> row = column.row_shape;
    if (column.quantized != nullptr) {
      GLS_ASSIGN(const auto codebook,
                 Codebook::create(column.quantized->bits, row.at(0), column.quantized->codebook));
      row = {codebook->packed_width()};
    }
    const std::vector<int64_t>& shape = column.array->shape;
    std::vector<int64_t> plain = {count};
    plain.insert(plain.end(), row.begin(), row.end());
    const auto elements = elements_of(row);
    const bool padded = shape.size() == 2 && shape[0] == count && elements && shape[1] >= *elements;
    if (!byte_size(plain, *dtype) || !byte_size(shape, *dtype) || (shape != plain && !padded)) {
      return bad(
          "column \"{}\" of \"{}\" is an array of {} with rows of {}, expected {} rows of "
          "that shape",
          column.name, type, shape_text(shape), shape_text(row), count);
    }
    return {};
  }

  Status check_books() const {
    const auto& types = partition_.whole->node_types;
    const auto& books = partition_.node_books;
    const auto named = [](const auto& book, const auto& type) { return book->type == type->name; };
    if (!std::equal(books.begin(), books.end(), types.begin(), types.end(), named)) {
      return bad("node_books are not one for each node type, in their order");
    }
    for (size_t t = 0; t < types.size(); ++t) {
      GLS_TRY(check_book(*books[t], types[t]->count));
    }
    for (size_t b = 0; b < partition_.edge_books.size(); ++b) {
      const format::BookT& book = *partition_.edge_books[b];
      const auto& edges = partition_.whole->edge_types;
      const auto found = std::find_if(edges.begin(), edges.end(), [&](const auto& type) {
        return type->source + "__" + type->relation + "__" + type->target == book.type;
      });
      const auto same = [&](const auto& other) { return other->type == book.type; };
      if (found == edges.end() ||
          std::any_of(partition_.edge_books.begin(),
                      partition_.edge_books.begin() + static_cast<int64_t>(b), same)) {
        return bad("edge_books names \"{}\", which is no edge type or named twice", book.type);
      }
      GLS_TRY(check_book(book, (*found)->count));
    }
    return {};
  }

  Status check_book(const format::BookT& book, int64_t count) const {
    GLS_TRY(check_array_file(*book.array, file_));
    const std::string& dtype = book.array->dtype;
    const bool ranges = dtype == "int64";
    const int64_t length = ranges ? int64_t{partition_.parts} + 1 : count;
    const bool narrow = dtype == "uint8" && partition_.parts <= 256;
    if ((!ranges && !narrow && dtype != "uint16") ||
        book.array->shape != std::vector<int64_t>{length}) {
      return bad("the book of \"{}\" is {} {}, expected uint8 or uint16 [{}], or int64 [{}]",
                 book.type, dtype, shape_text(book.array->shape), count, partition_.parts + 1);
    }
    return {};
  }

  const format::PartitionT& partition_;
  std::string_view file_;
};

}  // namespace

bool holds_partition(const std::string& folder) {
  return holds_format(folder, kPartitionFile, kPartitionFormat);
}

Result<format::PartitionT> parse_partition(std::string_view text, std::string_view file) {
  GLS_ASSIGN(std::vector<uint8_t> buffer, json_to_flatbuffer(text, partition_schema(), file));
  flatbuffers::Verifier verifier(buffer.data(), buffer.size());
  if (!format::VerifyPartitionBuffer(verifier)) {
    return error(GLS_ERR_INTERNAL, "{}: the encoded partition does not verify", file);
  }
  format::PartitionT partition;
  format::GetPartition(buffer.data())->UnPackTo(&partition);
  GLS_TRY(check_seal(text, partition.xxh3, file));
  partition.xxh3.clear();
  GLS_TRY(PartitionChecker(partition, file).check());
  return partition;
}

std::string partition_to_json(const format::PartitionT& partition) {
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(format::Partition::Pack(builder, &partition));
  return flatbuffer_to_json({builder.GetBufferPointer(), builder.GetSize()}, partition_schema());
}

std::string part_folder(uint32_t number) { return formatted("part-{}", number); }

}  // namespace gls
