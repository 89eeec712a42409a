#include "loader/planned/stored_batch.h"

#include <cstring>
#include <utility>

namespace gls {
namespace {

// Stands for the data of an array that is in the file.
const std::byte kInFile{};

// Calls visit(array, its offset) for each array with data. Returns the bytes of all.
template <typename AnyBatch, typename Visit>
uint64_t visit_data(AnyBatch& batch, Visit visit) {
  uint64_t offset = 0;
  visit_arrays(batch, [&](auto& array) {
    if (array.defined() && array.data() != nullptr) {
      const uint64_t bytes = array.span_bytes();
      visit(array, offset);
      offset += aligned(bytes, kCacheLine);
    }
  });
  return offset;
}

Tensor with_data(const Tensor& array, std::shared_ptr<const void> owner, const std::byte* data) {
  return Tensor(std::move(owner), data, array.dtype(), array.shape(), array.row_stride(), false);
}

}  // namespace

uint64_t stored_bytes(const Batch& batch) {
  return visit_data(batch, [](const Tensor&, uint64_t) {});
}

Result<std::unique_ptr<StoredBatches>> StoredBatches::create(const std::string& folder) {
  GLS_ASSIGN(StorageFile file, StorageFile::create_unnamed(folder, true));
  return std::unique_ptr<StoredBatches>(new StoredBatches(std::move(file)));
}

Result<StoredBatch> StoredBatches::put(BufferPool& pool, const Batch& batch) {
  StoredBatch out;
  out.batch = batch;
  out.bytes = stored_bytes(batch);
  const uint64_t size = aligned(out.bytes, kDirectAlignment);
  const Buffer buffer = pool.acquire(size + 1);
  std::memset(buffer.as<>() + out.bytes, 0, size - out.bytes);
  visit_data(out.batch, [&](Tensor& array, uint64_t offset) {
    std::memcpy(buffer.as<>() + offset, array.data(), array.span_bytes());
    array = with_data(array, nullptr, &kInFile);
  });
  out.offset = end_.fetch_add(size);
  IoResult done =
      run_request({IoRequest::Kind::kWrite, &file_, out.offset, buffer.as<>(), size, 0});
  GLS_TRY(std::move(done.status));
  return out;
}

Result<std::shared_ptr<Batch>> StoredBatches::get(const std::shared_ptr<BufferPool>& pool,
                                                  const StoredBatch& stored) const {
  const uint64_t size = aligned(stored.bytes, kDirectAlignment);
  auto buffer = std::make_shared<Buffer>(pool->acquire(size + 1));
  IoResult done =
      run_request({IoRequest::Kind::kRead, &file_, stored.offset, buffer->as<>(), size, 0});
  GLS_TRY(std::move(done.status));
  if (done.bytes < size) {
    return error(GLS_ERR_IO, "{} ends before its batches do", file_.path());
  }
  auto out = std::make_shared<Batch>(stored.batch);
  visit_data(*out, [&](Tensor& array, uint64_t offset) {
    array = with_data(array, buffer, buffer->as<>() + offset);
  });
  return out;
}

}  // namespace gls
