#include "cuda/direct_storage.h"

#include "cuda/cufile_library.h"
#include "cuda/failure.h"

#ifdef GLS_HAS_CUFILE
#include <algorithm>
#include <cerrno>
#include <new>

namespace gls::cuda {
namespace {

using device::FilePart;
using device::GpuError;

constexpr unsigned kMostReads = 128;  // of a batch
constexpr size_t kBatches = 2;

class CufileFile final : public device::GpuFile {
 public:
  explicit CufileFile(const CufileLibrary& library) : library_(library) {}
  bool begin(int fd, GpuError* error) {
    CUfileDescr_t what = {};
    what.type = CU_FILE_HANDLE_TYPE_OPAQUE_FD;
    what.handle.fd = fd;
    return cufile_good(library_.handle_register(&handle_, &what), "registering the file", error);
  }
  void destroy() noexcept override {
    if (handle_ != nullptr) {
      library_.handle_deregister(handle_);
    }
    delete this;
  }
  CUfileHandle_t get() const { return handle_; }

 private:
  const CufileLibrary& library_;
  CUfileHandle_t handle_ = nullptr;
};

// True for all that was asked for. Else why it is not.
bool all_came(const FilePart& part, ssize_t came, GpuError* error) {
  if (came < 0) {
    return cufile_failed(came, "reading", error);
  }
  if (static_cast<uint64_t>(came) == part.bytes) {
    return true;
  }
  error->code = GLS_ERR_IO;
  static_cast<void>(
      std::snprintf(error->text, sizeof error->text,
                    "cuFile: of %llu bytes at %llu came %lld: the file was cut since it was opened",
                    static_cast<unsigned long long>(part.bytes),
                    static_cast<unsigned long long>(part.from), static_cast<long long>(came)));
  return false;
}

bool not_done(CUfileStatus_t state, GpuError* error) {
  error->code = GLS_ERR_IO;
  static_cast<void>(std::snprintf(error->text, sizeof error->text,
                                  "cuFile: reading: it ended in state %#x",
                                  static_cast<unsigned>(state)));
  return false;
}

class CufileReader final : public device::GpuFileReader {
 public:
  CufileReader(const CufileLibrary& library, device::Gpu& gpu, int32_t number)
      : library_(library), gpu_(gpu), number_(number) {}

  // Memory of its own, since cuFile does not take that of pools.
  bool begin(uint64_t bytes, GpuError* error) {
    if (!gpu_.allocate_shared(bytes, &memory_, error)) {
      memory_ = nullptr;
      return false;
    }
    registered_ =
        cufile_good(library_.buffer_register(memory_, bytes, 0), "registering memory", error);
    for (size_t i = 0; registered_ && i < kBatches; ++i) {
      Batch& batch = batches_[i];
      batch.made = cufile_good(library_.batch_set_up(&batch.handle, library_.most_in_batch),
                               "making a batch", error);
      if (!batch.made) {
        return false;
      }
    }
    return registered_;
  }

  void destroy() noexcept override {
    static_cast<void>(cudaSetDevice(number_));
    for (Batch& batch : batches_) {
      if (batch.made) {
        library_.batch_destroy(batch.handle);
      }
    }
    if (registered_) {
      library_.buffer_deregister(memory_);
    }
    if (memory_ != nullptr) {
      gpu_.release_shared(memory_);
    }
    delete this;
  }

  void* memory() noexcept override { return memory_; }

  bool read(device::GpuFile& file, const FilePart* parts, size_t count,
            GpuError* error) noexcept override {
    if (!good(cudaSetDevice(number_), "choosing the device", error)) {
      return false;
    }
    CUfileHandle_t const handle = static_cast<CufileFile&>(file).get();
    const FilePart* const end = parts + count;
    const FilePart* next = parts;
    const FilePart* last = nullptr;  // what ends with the file is no whole block
    bool fine = true;
    for (size_t turn = 0; (fine && next != end) || in_flight(); turn = (turn + 1) % kBatches) {
      Batch& batch = batches_[turn];
      fine = settle(&batch, error, !fine) && fine;
      unsigned nr = 0;
      for (; fine && next != end && nr < library_.most_in_batch; ++next) {
        if (next->bytes % device::kFileBlock != 0) {
          last = next;
          continue;
        }
        CUfileIOParams_t& one = batch.reads[nr++];
        one = {};
        one.mode = CUFILE_BATCH;
        one.u.batch.devPtr_base = memory_;
        one.u.batch.file_offset = static_cast<off_t>(next->from);
        one.u.batch.devPtr_offset = static_cast<off_t>(next->to);
        one.u.batch.size = next->bytes;
        one.fh = handle;
        one.opcode = CUFILE_READ;
        one.cookie = const_cast<FilePart*>(next);
      }
      if (nr > 0) {
        fine =
            cufile_good(library_.batch_submit(batch.handle, nr, batch.reads, 0), "reading", error);
        batch.in_flight = fine ? nr : 0;
        if (!fine) {
          static_cast<void>(library_.batch_cancel(batch.handle));
        }
      }
    }
    if (fine && last != nullptr) {
      const ssize_t came =
          library_.read(handle, memory_, last->bytes, static_cast<off_t>(last->from),
                        static_cast<off_t>(last->to));
      fine = all_came(*last, came == -1 ? -errno : came, error);
    }
    return fine;
  }

 private:
  struct Batch {
    CUfileBatchHandle_t handle = nullptr;
    bool made = false;
    unsigned in_flight = 0;
    CUfileIOParams_t reads[kMostReads] = {};
  };

  bool in_flight() const {
    return std::any_of(batches_, batches_ + kBatches,
                       [](const Batch& batch) { return batch.in_flight > 0; });
  }

  // Waits for all of a batch. With `failed` there is an error already, which stays.
  bool settle(Batch* batch, GpuError* error, bool failed) {
    bool fine = true;
    GpuError other;
    const auto where = [&] { return fine && !failed ? error : &other; };
    while (batch->in_flight > 0) {
      unsigned found = batch->in_flight;
      if (!cufile_good(
              library_.batch_status(batch->handle, batch->in_flight, &found, events_, nullptr),
              "waiting", where())) {
        static_cast<void>(library_.batch_cancel(batch->handle));
        batch->in_flight = 0;
        return false;
      }
      found = std::min(found, batch->in_flight);
      for (unsigned i = 0; i < found; ++i) {
        const CUfileIOEvents_t& event = events_[i];
        const auto came = static_cast<ssize_t>(event.ret);
        GpuError* const told = where();
        if (event.status == CUFILE_COMPLETE || came < 0) {
          fine = all_came(*static_cast<const FilePart*>(event.cookie), came, told) && fine;
        } else {
          fine = not_done(event.status, told);
        }
      }
      batch->in_flight -= found;
    }
    return fine;
  }

  const CufileLibrary& library_;
  device::Gpu& gpu_;
  const int32_t number_;
  void* memory_ = nullptr;
  bool registered_ = false;
  Batch batches_[kBatches];
  CUfileIOEvents_t events_[kMostReads] = {};
};

template <typename Made>
Made* begun(Made* made, bool fine) {
  if (made != nullptr && !fine) {
    made->destroy();
    return nullptr;
  }
  return made;
}

}  // namespace

device::GpuFile* make_file(int fd, GpuError* error) {
  const CufileLibrary* const library = CufileLibrary::get(error);
  if (library == nullptr) {
    return nullptr;
  }
  auto* const file = new (std::nothrow) CufileFile(*library);
  if (file == nullptr) {
    refuse(GLS_ERR_OUT_OF_MEMORY, "no memory", error);
  }
  return begun(file, file != nullptr && file->begin(fd, error));
}

device::GpuFileReader* make_file_reader(device::Gpu& gpu, int32_t number, uint64_t bytes,
                                        GpuError* error) {
  const CufileLibrary* const library = CufileLibrary::get(error);
  if (library == nullptr) {
    return nullptr;
  }
  auto* const reader = new (std::nothrow) CufileReader(*library, gpu, number);
  if (reader == nullptr) {
    refuse(GLS_ERR_OUT_OF_MEMORY, "no memory", error);
  }
  return begun(reader, reader != nullptr && reader->begin(bytes, error));
}

}  // namespace gls::cuda

#else
namespace gls::cuda {
namespace {
constexpr char kWithout[] =
    "this libgls_cuda.so was compiled without cufile.h of CUDA 12.9 or later";
}

device::GpuFile* make_file(int, device::GpuError* error) {
  refuse(GLS_ERR_UNSUPPORTED, kWithout, error);
  return nullptr;
}

device::GpuFileReader* make_file_reader(device::Gpu&, int32_t, uint64_t, device::GpuError* error) {
  refuse(GLS_ERR_UNSUPPORTED, kWithout, error);
  return nullptr;
}

}  // namespace gls::cuda
#endif
