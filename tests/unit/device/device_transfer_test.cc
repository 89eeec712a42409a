// Arrays of any size to a device and back, by pieces: on the emulated runtime, or on a GPU.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <vector>

#include "device/memory/transfer.h"
#include "system/memory.h"
#include "test_device.h"

namespace gls::test {
namespace {

class DeviceTransfer : public testing::Test {
 protected:
  void SetUp() override {
    choose_device_plugin();
    setenv("CUDA_ON_HOST_PROTECT", "1", 1);
    GLS_NEEDS_DEVICE();
  }
};

// Bytes that differ from place to place, also by whole pieces.
Tensor bytes_of(size_t count) {
  auto memory = std::make_shared<PageBlock>(std::max<size_t>(count, 1), false);
  for (size_t i = 0; i < count; ++i) {
    memory->data()[i] = static_cast<std::byte>((i * 7 + i / 251 + i / 65521) % 256);
  }
  std::byte* const data = memory->data();
  return Tensor(std::move(memory), data, kUint8, {static_cast<int64_t>(count)}, false);
}

// No pinned memory is larger than a piece, where the emulated runtime gives it.
TEST_F(DeviceTransfer, ComesBackInPieces) {
  setenv("CUDA_ON_HOST_PINNED", "8388608", 1);
  const auto device = Device::open(0).take();
  const size_t sizes[] = {5, 8388608 - 5, 0, 3, 20000001, 8388608, 1, 12345678, 64};
  std::vector<Tensor> expected;
  std::vector<Tensor> moved;
  for (const size_t size : sizes) {
    expected.push_back(bytes_of(size));
    moved.push_back(expected.back());
  }
  std::vector<Tensor*> all;
  for (Tensor& tensor : moved) {
    all.push_back(&tensor);
  }
  Tensor none;
  all.push_back(&none);
  {
    const DeviceStream stream = device->stream().take();
    const Status there = move_in(stream, all, nullptr);
    ASSERT_TRUE(there.ok()) << there.message();
  }
  for (const Tensor& tensor : moved) {
    EXPECT_FALSE(tensor.on_host());
  }
  const Status back = move_out(device, all, nullptr);
  unsetenv("CUDA_ON_HOST_PINNED");
  ASSERT_TRUE(back.ok()) << back.message();
  EXPECT_FALSE(none.defined());
  for (size_t i = 0; i < moved.size(); ++i) {
    ASSERT_TRUE(moved[i].on_host());
    ASSERT_EQ(moved[i].rows(), static_cast<int64_t>(sizes[i]));
    EXPECT_EQ(std::memcmp(moved[i].data(), expected[i].data(), sizes[i]), 0) << sizes[i];
  }
}

}  // namespace
}  // namespace gls::test
