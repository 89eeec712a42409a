// Columns of one batch whose remote rows go directly to a device, grouped by their source. A gather
// on the device then puts them in the order of the batch.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "device/peer/rdma_buffer_pool.h"
#include "query/graph_source.h"

namespace gls {

class DeviceFetch {
 public:
  // All arguments must outlive this object.
  DeviceFetch(const GraphSource& source, RdmaBufferPool& pool, const DeviceStream& stream,
              std::shared_ptr<StreamReaders> readers)
      : source_(source), pool_(pool), stream_(stream), readers_(std::move(readers)) {}
  ~DeviceFetch();
  DeviceFetch(const DeviceFetch&) = delete;
  DeviceFetch& operator=(const DeviceFetch&) = delete;

  // As GraphSource::ask_rows(), for rows of this shape, without its first extent.
  Status ask(const RowQuestion& question, int64_t rows, std::vector<int64_t> shape);
  // Waits for the rows of the oldest request that was not taken. The result is complete as far as
  // the stream has progressed.
  Result<Tensor> take();
  // How many of the taken results arrived on the device.
  size_t num_landed() const { return num_landed_; }

 private:
  struct Request {
    RowQuestion question;
    std::vector<int64_t> shape;
    int64_t row_bytes = 0;
    std::shared_ptr<RdmaBuffer> landing;  // NULL: the device has no room for it
    Deferred<LandedRows> rows;
  };
  Result<Tensor> arrange(const Request& asked, const std::vector<int64_t>& places);

  const GraphSource& source_;
  RdmaBufferPool& pool_;
  const DeviceStream& stream_;
  const std::shared_ptr<StreamReaders> readers_;
  std::deque<Request> asked_;
  size_t num_landed_ = 0;
  // Memory that the stream still needs.
  std::vector<std::shared_ptr<RdmaBuffer>> landed_;
  std::vector<PinnedBuffer> places_;
};

}  // namespace gls
