#include "tensor/arrow_export.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "tensor/arrow_type.h"

namespace gls {
namespace {

// What a struct of Arrow points to. A consumer may move a child out and release the parent first,
// so each struct has memory of its own.
struct SchemaMemory {
  std::string name;
  std::string format;
  std::vector<ArrowSchema> children;
  std::vector<ArrowSchema*> pointers;
};

struct ArrayMemory {
  std::shared_ptr<const void> owner;
  std::vector<const void*> buffers;
  std::vector<ArrowArray> children;
  std::vector<ArrowArray*> pointers;
};

template <typename Memory, typename Struct>
void release_with_children(Struct* released) {
  auto* const memory = static_cast<Memory*>(released->private_data);
  for (Struct& child : memory->children) {
    if (child.release != nullptr) {
      child.release(&child);
    }
  }
  delete memory;
  released->release = nullptr;
}

// One bit for each byte that is not zero.
std::shared_ptr<const void> packed_bits(const Tensor& tensor, int64_t begin, int64_t count) {
  const int64_t width = tensor.row_elements();
  auto bits =
      std::make_shared<std::vector<uint8_t>>(static_cast<size_t>((count * width + 7) / 8), 0);
  size_t at = 0;
  for (int64_t row = begin; row < begin + count; ++row) {
    const std::byte* const values = tensor.data() + row * tensor.row_stride();
    for (int64_t i = 0; i < width; ++i, ++at) {
      if (values[i] != std::byte{0}) {
        (*bits)[at / 8] = static_cast<uint8_t>((*bits)[at / 8] | (1u << (at % 8)));
      }
    }
  }
  return {bits, bits->data()};
}

std::shared_ptr<const void> compact_rows(const Tensor& tensor, int64_t begin, int64_t count) {
  const auto bytes = static_cast<size_t>(tensor.row_bytes());
  // Aligned and padded to 64 bytes, as Arrow recommends for buffers.
  const size_t all = (bytes * static_cast<size_t>(count) + 63) / 64 * 64;
  std::shared_ptr<std::byte> memory(
      static_cast<std::byte*>(::operator new (std::max<size_t>(all, 64), std::align_val_t{64})),
      [](std::byte* data) { ::operator delete (data, std::align_val_t{64}); });
  for (int64_t row = 0; row < count; ++row) {
    std::memcpy(memory.get() + static_cast<size_t>(row) * bytes,
                tensor.data() + (begin + row) * tensor.row_stride(), bytes);
  }
  return memory;
}

// Gives `made` its memory and children. It can be released from the first line on.
template <typename Memory, typename Spec, typename Struct, typename MakeChild>
void give_memory(std::unique_ptr<Memory> memory, const std::vector<Spec>& children, Struct* made,
                 const MakeChild& make_child) {
  memory->children.resize(children.size());
  memory->pointers.reserve(children.size());
  Memory& held = *memory;
  made->private_data = memory.release();
  made->release = release_with_children<Memory, Struct>;
  for (size_t i = 0; i < children.size(); ++i) {
    make_child(children[i], &held.children[i]);
    held.pointers.push_back(&held.children[i]);
  }
  made->n_children = static_cast<int64_t>(held.pointers.size());
  made->children = held.pointers.empty() ? nullptr : held.pointers.data();
}

}  // namespace

void make_arrow_schema(const ArrowFieldSpec& field, ArrowSchema* out) {
  auto memory = std::make_unique<SchemaMemory>();
  memory->name = field.name;
  memory->format = field.format;
  ArrowOwned<ArrowSchema> made;
  made.format = memory->format.c_str();
  made.name = memory->name.c_str();
  made.flags = ARROW_FLAG_NULLABLE;  // as other producers do, so that schemas compare as equal
  give_memory(std::move(memory), field.children, static_cast<ArrowSchema*>(&made),
              make_arrow_schema);
  made.move_to(out);
}

void make_arrow_array(const ArrowArraySpec& array, const std::shared_ptr<const void>& owner,
                      ArrowArray* out) {
  auto memory = std::make_unique<ArrayMemory>();
  memory->owner = owner;
  memory->buffers = array.buffers;
  ArrowOwned<ArrowArray> made;
  made.length = array.length;
  made.n_buffers = static_cast<int64_t>(memory->buffers.size());
  made.buffers = memory->buffers.data();
  give_memory(
      std::move(memory), array.children, static_cast<ArrowArray*>(&made),
      [&](const ArrowArraySpec& child, ArrowArray* to) { make_arrow_array(child, owner, to); });
  made.move_to(out);
}

Result<ArrowFieldSpec> arrow_field_of(const std::string& name, DLDataType dtype,
                                      const std::vector<int64_t>& shape,
                                      const std::string& logical_type) {
  GLS_ASSIGN(const std::string format, arrow_format(dtype));
  ArrowFieldSpec field{"item", logical_type.empty() ? format : logical_type};
  for (size_t d = shape.size(); d-- > 1;) {
    if (shape[d] > int64_t{0x7fffffff}) {
      return error(GLS_ERR_UNSUPPORTED, "Arrow has no lists of {} elements", shape[d]);
    }
    ArrowFieldSpec list{"item", formatted("+w:{}", shape[d])};
    list.children.push_back(std::move(field));
    field = std::move(list);
  }
  field.name = name;
  return field;
}

ArrowArraySpec arrow_rows_of(const Tensor& tensor, int64_t begin, int64_t count,
                             std::vector<std::shared_ptr<const void>>* owners) {
  const void* values = nullptr;
  if (count > 0 && tensor.row_bytes() > 0) {
    if (same_dtype(tensor.dtype(), kBool)) {
      owners->push_back(packed_bits(tensor, begin, count));
      values = owners->back().get();
    } else if (tensor.contiguous()) {
      owners->push_back(tensor.owner());
      values = tensor.data() + begin * tensor.row_stride();
    } else {
      owners->push_back(compact_rows(tensor, begin, count));
      values = owners->back().get();
    }
  }
  ArrowArraySpec array{count * tensor.row_elements(), {nullptr, values}};
  for (size_t d = tensor.shape().size(); d-- > 1;) {
    int64_t length = count;
    for (size_t outer = 1; outer < d; ++outer) {
      length *= tensor.shape()[outer];
    }
    ArrowArraySpec list{length, {nullptr}};
    list.children.push_back(std::move(array));
    array = std::move(list);
  }
  return array;
}

}  // namespace gls
