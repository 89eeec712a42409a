// Pads the arrays of one batch in the memory where they are: on the host at once, on a device all
// together.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "device/device.h"
#include "system/memory.h"
#include "tensor/tensor.h"

namespace gls {

// The positions of real rows in a padded array. The first `head` rows stay, the others follow from
// `rest` on, and all other rows are padding.
struct PadPlaces {
  int64_t real = 0;
  int64_t head = 0;
  int64_t rest = 0;
  int64_t rows = 0;

  static PadPlaces front(int64_t real, int64_t rows) { return {real, real, real, rows}; }
};

class PadFill {
 public:
  // `stream` belongs to the device that holds arrays; NULL if all arrays are on the host.
  PadFill(BufferPool& pool, const DeviceStream* stream) : pool_(pool), stream_(stream) {}

  // Pads an array of ids with `value` in every column, or with `first` in the first one.
  void ids(const PadPlaces& places, int64_t first, int64_t value, Tensor* array);
  void ids(const PadPlaces& places, int64_t value, Tensor* array) {
    ids(places, value, value, array);
  }
  // Pads the two rows of an array [2, edges] with the ids `source` and `target`.
  void ends(const PadPlaces& places, int64_t source, int64_t target, Tensor* index);
  // Pads numbers of any kind with zeros; on a device, of 32 or 64 bits.
  void zeros(const PadPlaces& places, Tensor* array);
  // A mask of real rows, on the device if there is one.
  void mask(const PadPlaces& places, Tensor* out);
  // A mask of ids that are not negative, in the same memory as the ids.
  void found(const PadPlaces& places, const Tensor& ids, Tensor* out);

  // Until finish(), arrays on the device only have shapes. Afterwards they are complete as far as
  // the stream has progressed. Pointers given above must still be valid.
  Status finish(const std::shared_ptr<StreamReaders>& readers);

 private:
  struct DeviceGuard {
    Tensor from;
    Tensor* out;  // NULL: this array shares the memory of the array before
    uint64_t offset;
    device::PadWork work;
  };
  void plan(const PadPlaces& places, const Tensor& from, int64_t first, int64_t value,
            bool as_bools, Tensor* out);
  void plan_ends(const PadPlaces& places, int64_t source, int64_t target, Tensor* index);
  Tensor result(DLDataType dtype, std::vector<int64_t> shape) const;
  template <typename Fill>
  Tensor spread(const Tensor& from, const PadPlaces& places, Fill fill);
  Tensor bools(std::vector<int64_t> shape, std::byte** data);

  BufferPool& pool_;
  const DeviceStream* const stream_;
  std::vector<DeviceGuard> planned_;
  uint64_t bytes_ = 0;  // bytes of these arrays
};

}  // namespace gls
