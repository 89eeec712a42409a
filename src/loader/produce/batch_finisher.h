// Completes the batches that a producer makes: pads them, adds their columns, delivers them to a
// device, and runs the user's own stage.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "loader/columns/batch_columns.h"
#include "loader/columns/device_delivery.h"
#include "loader/padding/pad_sizes.h"
#include "loader/produce/batch_producer.h"
#include "sample/sampler.h"

namespace gls {

class BatchFinisher {
 public:
  using Transform = std::function<Status(const std::shared_ptr<Batch>&)>;
  // Called with a padded batch and the bytes of its columns, before they are gathered. An error
  // fails the batch.
  using Look = std::function<Status(const Batch& sampled, uint64_t column_bytes)>;

  // `delivery`: NULL where batches stay on the host. `transform` may be empty.
  BatchFinisher(std::shared_ptr<const Sampler> sampler, std::vector<ColumnToGather> columns,
                std::shared_ptr<const DeviceDelivery> delivery, Transform transform,
                std::optional<PadSizes> pad_sizes)
      : sampler_(std::move(sampler)),
        columns_(std::make_shared<const BatchColumns>(sampler_->dataset(), std::move(columns))),
        delivery_(std::move(delivery)),
        transform_(std::move(transform)),
        pad_sizes_(std::move(pad_sizes)) {}

  // A finisher of the same batches that describes their columns, and gathers no rows. Not set:
  // later steps of these batches need the rows.
  std::optional<BatchFinisher> without_rows() const;
  bool gathers_rows() const { return gathers_rows_; }

  // Any number of threads may call it at once. `has_columns`: the producer added the columns.
  // `began_ns`: when the producer began. `look` may be empty.
  Result<std::shared_ptr<Batch>> finish(ProducedBatch produced, bool has_columns, uint64_t began_ns,
                                        const Look& look) const;

  const BatchColumns& columns() const { return *columns_; }
  const std::optional<PadSizes>& pad_sizes() const { return pad_sizes_; }

 private:
  Status pad(const DeviceStream* stream, Batch* batch) const;
  Status gather(const DeviceStream* stream, Batch* batch) const;

  std::shared_ptr<const Sampler> sampler_;
  std::shared_ptr<const BatchColumns> columns_;
  std::shared_ptr<const DeviceDelivery> delivery_;
  Transform transform_;
  std::optional<PadSizes> pad_sizes_;
  bool gathers_rows_ = true;
};

}  // namespace gls
