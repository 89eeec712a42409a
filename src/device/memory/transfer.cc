#include "device/memory/transfer.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "device/memory/staging.h"
#include "system/memory.h"

namespace gls {
namespace {

constexpr uint64_t kAlignment = 256;  // of memory from a device

// The place of a host array in a block.
struct Placed {
  Tensor* tensor;
  uint64_t offset;
  uint64_t bytes;
};

uint64_t unpadded_bytes(const Tensor& tensor) {
  return static_cast<uint64_t>(tensor.rows() * tensor.row_bytes());
}

// Copies the bytes [first, first + size) of a tensor's elements, without gaps between rows.
void copy_elements(const Tensor& tensor, uint64_t first, uint64_t size, std::byte* out) {
  if (tensor.contiguous()) {
    std::memcpy(out, tensor.data() + first, size);
    return;
  }
  const auto row = static_cast<uint64_t>(tensor.row_bytes());
  while (size > 0) {
    const uint64_t within = first % row;
    const uint64_t count = std::min(row - within, size);
    std::memcpy(out,
                tensor.data() + static_cast<int64_t>(first / row) * tensor.row_stride() + within,
                count);
    out += count;
    first += count;
    size -= count;
  }
}

}  // namespace

Status move_in(const DeviceStream& stream, std::span<Tensor* const> tensors,
               const std::shared_ptr<StreamReaders>& readers) {
  std::vector<Placed> placed;
  placed.reserve(tensors.size());
  uint64_t bytes = 0;
  for (Tensor* const tensor : tensors) {
    if (tensor->defined() && tensor->on_host()) {
      placed.push_back({tensor, bytes, unpadded_bytes(*tensor)});
      bytes += (placed.back().bytes + kAlignment - 1) / kAlignment * kAlignment;
    }
  }
  Device& device = stream.device();
  GLS_ASSIGN(const std::shared_ptr<DeviceMemory> memory, device.allocate(bytes, stream, readers));
  auto* const block = static_cast<std::byte*>(memory->data());
  size_t at = 0;
  GLS_TRY(copy_in_pieces(stream, block, bytes, kAlignment,
                         [&](uint64_t offset, uint64_t size, std::byte* out) {
                           const uint64_t end = offset + size;
                           for (; at < placed.size() && placed[at].offset < end; ++at) {
                             const Placed& array = placed[at];
                             const uint64_t first = std::max(offset, array.offset);
                             const uint64_t last = std::min(end, array.offset + array.bytes);
                             if (first < last) {
                               copy_elements(*array.tensor, first - array.offset, last - first,
                                             out + (first - offset));
                             }
                             if (array.offset + array.bytes > end) {
                               break;  // the rest is in the next piece
                             }
                           }
                         }));
  for (const Placed& array : placed) {
    Tensor& tensor = *array.tensor;
    tensor = Tensor(memory, block == nullptr ? nullptr : block + array.offset, tensor.dtype(),
                    tensor.shape(), false)
                 .with_device(device.dl());
  }
  return {};
}

Status move_out(const std::shared_ptr<Device>& device, std::span<Tensor* const> tensors,
                const StreamReaders* readers) {
  GLS_ASSIGN(const DeviceStream stream, device->stream());
  device::Gpu& gpu = device->gpu();
  device::GpuError failure;
  bool good = true;
  if (readers != nullptr) {
    readers->each(
        [&](device::Stream reader) { good = good && gpu.follow(stream.get(), reader, &failure); });
  }
  if (!good) {
    return status_of(failure);
  }
  std::vector<CopiedOut> parts;
  std::vector<std::pair<Tensor*, Tensor>> moved;
  for (Tensor* const tensor : tensors) {
    if (!tensor->defined() || tensor->on_host()) {
      continue;
    }
    const uint64_t bytes = unpadded_bytes(*tensor);
    auto memory = std::make_shared<PageBlock>(std::max<size_t>(bytes, 1), false);
    std::byte* const out = memory->data();
    if (bytes > 0) {
      parts.push_back({tensor->data(), out, bytes});
    }
    moved.emplace_back(tensor,
                       Tensor(std::move(memory), out, tensor->dtype(), tensor->shape(), false));
  }
  GLS_TRY(copy_out_pieces(stream, parts));
  for (auto& [tensor, copy] : moved) {
    *tensor = std::move(copy);
  }
  return {};
}

}  // namespace gls
