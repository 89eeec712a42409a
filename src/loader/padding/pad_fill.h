// Arrays of one batch, filled up where they lie: on the host at once, on a device all together.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "device/device.h"
#include "system/memory.h"
#include "tensor/tensor.h"

namespace gls {

// Where the real rows of an array go: the first `head` stay, the others follow from `rest` on, and
// all else is added.
struct PadPlaces {
  int64_t real = 0;
  int64_t head = 0;
  int64_t rest = 0;
  int64_t rows = 0;

  static PadPlaces front(int64_t real, int64_t rows) { return {real, real, real, rows}; }
};

class PadFill {
 public:
  // `stream`, of the device on which arrays lie that are not on the host, is NULL where all are.
  PadFill(BufferPool& pool, const DeviceStream* stream) : pool_(pool), stream_(stream) {}

  // The array with what is added: ids, `value` in every column, or `first` in the first one.
  void ids(const PadPlaces& places, int64_t first, int64_t value, Tensor* array);
  void ids(const PadPlaces& places, int64_t value, Tensor* array) {
    ids(places, value, value, array);
  }
  // The two rows of an array [2, edges]: ids `source` and `target` are added to them.
  void ends(const PadPlaces& places, int64_t source, int64_t target, Tensor* index);
  // Of numbers of any kind; on a device, of 32 or 64 bits.
  void zeros(const PadPlaces& places, Tensor* array);
  // Which rows are real: on the device where there is one.
  void mask(const PadPlaces& places, Tensor* out);
  // Which of some ids are not negative. It lies where they do.
  void found(const PadPlaces& places, const Tensor& ids, Tensor* out);

  // Until then arrays on the device have shapes alone. Then they are there as far as the stream has
  // come. Pointers that were given above must still be good.
  Status finish(const std::shared_ptr<StreamReaders>& readers);

 private:
  struct OnDevice {
    Tensor from;
    Tensor* out;  // NULL: the array before has this one's memory, too
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
  std::vector<OnDevice> planned_;
  uint64_t bytes_ = 0;  // that these take
};

}  // namespace gls
