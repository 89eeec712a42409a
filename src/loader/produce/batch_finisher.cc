#include "loader/produce/batch_finisher.h"

#include "base/clock.h"
#include "loader/padding/padding.h"

namespace gls {

std::optional<BatchFinisher> BatchFinisher::without_rows() const {
  if (delivery_ != nullptr || transform_) {
    return {};
  }
  std::optional<BatchFinisher> out = *this;
  out->gathers_rows_ = false;
  return out;
}

Result<std::shared_ptr<Batch>> BatchFinisher::finish(ProducedBatch produced, bool has_columns,
                                                     uint64_t began_ns, const Look& look) const {
  Batch* const batch = produced.batch.get();
  std::optional<DeviceStream>& stream = produced.stream;
  if (pad_sizes_.has_value()) {
    GLS_TRY(pad(stream.has_value() ? &*stream : nullptr, batch));
  }
  if (look) {
    GLS_TRY(look(*batch, columns_->bytes(*batch)));
  }
  const uint64_t sampled_ns = now_ns();
  if (delivery_ != nullptr && !stream.has_value()) {
    GLS_ASSIGN(DeviceStream own, delivery_->device()->stream());
    stream.emplace(std::move(own));
  }
  if (!has_columns) {
    GLS_TRY(gather(stream.has_value() ? &*stream : nullptr, batch));
  } else if (delivery_ != nullptr) {
    GLS_TRY(delivery_->deliver({}, *stream, batch));
  }
  if (!has_columns) {  // otherwise the producer reports the times
    batch->sample_ns = sampled_ns - began_ns;
    batch->gather_ns = now_ns() - sampled_ns;
  }
  GLS_TRY(sampler_->dataset()->check_files());
  GLS_TRY(transform_ ? transform_(produced.batch) : Status());
  return std::move(produced.batch);
}

// `stream`: of the device that sampled the batch, or NULL.
Status BatchFinisher::pad(const DeviceStream* stream, Batch* batch) const {
  const SamplerOptions& options = sampler_->options();
  BufferPool& pool = *sampler_->dataset()->context()->buffers();
  GLS_TRY(pad_batch(*pad_sizes_, options.direction == Direction::kOut && options.toward_seeds, pool,
                    stream, batch));
  pad_columns(pool, batch);
  return {};
}

// `stream`: of the device that receives the batch, or NULL.
Status BatchFinisher::gather(const DeviceStream* stream, Batch* batch) const {
  if (delivery_ == nullptr) {
    if (gathers_rows_) {
      return columns_->gather({}, batch);
    }
    columns_->describe(batch);
    return {};
  }
  if (sampler_->dataset()->source() != nullptr) {
    batch->readers = std::make_shared<StreamReaders>();
    GLS_TRY(columns_->fetch(*delivery_, *stream, batch));
  }
  GLS_ASSIGN(const std::vector<DeviceDelivery::Rows> rows, columns_->rows_on_device(*batch));
  return delivery_->deliver(rows, *stream, batch);
}

}  // namespace gls
