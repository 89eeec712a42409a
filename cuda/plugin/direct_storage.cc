#include "cuda/plugin/direct_storage.h"

#include "cuda/runtime/cufile_library.h"
#include "cuda/runtime/failure.h"

#ifdef GLS_HAS_CUFILE
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <ctime>
#include <new>
#include <thread>

namespace gls::cuda {
namespace {

using device::FilePart;
using device::GpuError;

constexpr unsigned kMostReads = 128;  // of a batch
constexpr size_t kBatches = 2;
// How often in a row cuFile may ask to retry, or return nothing, and the pause between.
constexpr int kMostTries = 1000;
constexpr std::chrono::milliseconds kBetweenTries(1);
// The time of one wait, and of one after an error: no read is waited for longer than two minutes.
constexpr timespec kWait = {0, 100'000'000};
constexpr timespec kWaitAfterError = {0, 10'000'000};

class CufileFile final : public device::GpuFile {
 public:
  explicit CufileFile(const CufileLibrary& library) : library_(library) {}
  bool begin(int fd, GpuError* error) {
    CUfileDescr_t what = {};
    what.type = CU_FILE_HANDLE_TYPE_OPAQUE_FD;
    what.handle.fd = fd;
    fd_ = fd;
    return cufile_good(library_.handle_register(&handle_, &what), "registering the file", error);
  }
  bool destroy() noexcept override {
    if (kept_) {
      return false;
    }
    if (handle_ != nullptr) {
      library_.handle_deregister(handle_);
    }
    delete this;
    return true;
  }
  void keep() { kept_ = true; }
  CUfileHandle_t get() const { return handle_; }
  bool ends_before(uint64_t byte) const {
    struct stat now {};
    return fstat(fd_, &now) == 0 && static_cast<uint64_t>(now.st_size) < byte;
  }

 private:
  const CufileLibrary& library_;
  int fd_ = -1;
  CUfileHandle_t handle_ = nullptr;
  std::atomic<bool> kept_{false};
};

// True if all requested bytes arrived; else reports the reason.
bool all_came(const CufileFile& file, const FilePart& part, ssize_t came, GpuError* error) {
  if (came < 0) {
    return cufile_failed(came, "reading", error);
  }
  if (static_cast<uint64_t>(came) == part.bytes) {
    return true;
  }
  error->code = GLS_ERR_IO;
  static_cast<void>(std::snprintf(
      error->text, sizeof error->text, "cuFile: of %llu bytes at %llu came %lld%s",
      static_cast<unsigned long long>(part.bytes), static_cast<unsigned long long>(part.from),
      static_cast<long long>(came),
      file.ends_before(part.from + part.bytes) ? ": the file was cut since it was opened" : ""));
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
  CufileReader(const CufileLibrary& library, CudaGpu& gpu) : library_(library), gpu_(gpu) {}

  // Memory of its own, because cuFile does not accept memory of pools.
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

  bool destroy() noexcept override {
    if (lost_) {
      return keep();
    }
    GpuError ignored;
    const OnGpu on(gpu_, &ignored);
    for (Batch& batch : batches_) {
      if (batch.made) {
        library_.batch_destroy(batch.handle);
      }
    }
    if (registered_ && library_.buffer_deregister(memory_).err != CU_FILE_SUCCESS) {
      return keep();
    }
    if (memory_ != nullptr) {
      gpu_.release_shared(memory_);
    }
    delete this;
    return true;
  }

  void* memory() noexcept override { return memory_; }

  bool read(device::GpuFile& file, const FilePart* parts, size_t count,
            GpuError* error) noexcept override {
    const OnGpu on(gpu_, error);
    if (!on) {
      return false;
    }
    file_ = static_cast<CufileFile*>(&file);
    CUfileHandle_t const handle = file_->get();
    const FilePart* const end = parts + count;
    const FilePart* next = parts;
    const FilePart* last = nullptr;  // the part at the end of the file is not a whole block
    bool fine = true;
    for (size_t turn = 0; (fine && next != end) || in_flight(); turn = (turn + 1) % kBatches) {
      Batch& batch = batches_[turn];
      fine = settle(&batch, error, !fine) && fine;
      if (lost_) {
        return false;
      }
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
        if (!cufile_good(library_.batch_submit(batch.handle, nr, batch.reads, 0), "reading",
                         error)) {
          return lose();  // some reads may be in flight
        }
        batch.in_flight = nr;
      }
    }
    if (fine && last != nullptr) {
      const ssize_t came =
          library_.read(handle, memory_, last->bytes, static_cast<off_t>(last->from),
                        static_cast<off_t>(last->to));
      fine = all_came(*file_, *last, came == -1 ? -errno : came, error);
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

  // Reads in flight cannot be stopped: a cancelled read may still write.
  bool lose() {
    lost_ = true;
    file_->keep();
    return false;
  }

  // Not freed, but still referenced, with the file.
  bool keep() {
    static std::atomic<CufileReader*> all{nullptr};
    next_kept_ = all.exchange(this);
    return false;
  }

  // Waits for all reads of a batch, or loses it. With `failed`, there is an earlier error, which is
  // kept.
  bool settle(Batch* batch, GpuError* error, bool failed) {
    bool fine = true;
    GpuError other;
    const auto where = [&] { return fine && !failed ? error : &other; };
    for (int tries = 0; batch->in_flight > 0;) {
      unsigned found = batch->in_flight;
      timespec bound = failed || !fine ? kWaitAfterError : kWait;
      CUfileError_t result =
          library_.batch_status(batch->handle, batch->in_flight, &found, events_, &bound);
      if (result.err == CU_FILE_SUCCESS && found == 0) {
        result.err = CU_FILE_INTERNAL_BATCH_GETSTATUS_ERROR;
      }
      if (result.err == CU_FILE_INTERNAL_BATCH_GETSTATUS_ERROR && ++tries < kMostTries) {
        std::this_thread::sleep_for(kBetweenTries);
        continue;
      }
      if (!cufile_good(result, "waiting", where())) {
        return lose();
      }
      tries = 0;
      found = std::min(found, batch->in_flight);
      for (unsigned i = 0; i < found; ++i) {
        const CUfileIOEvents_t& event = events_[i];
        const auto came = static_cast<ssize_t>(event.ret);
        GpuError* const told = where();
        if (event.status != CUFILE_COMPLETE && event.status != CUFILE_FAILED &&
            event.status != CUFILE_INVALID) {
          not_done(event.status, told);
          return lose();
        }
        if (event.status == CUFILE_COMPLETE || came < 0) {
          fine = all_came(*file_, *static_cast<const FilePart*>(event.cookie), came, told) && fine;
        } else {
          fine = not_done(event.status, told);
        }
      }
      batch->in_flight -= found;
    }
    return fine;
  }

  const CufileLibrary& library_;
  CudaGpu& gpu_;
  void* memory_ = nullptr;
  bool registered_ = false;
  CufileFile* file_ = nullptr;  // the file being read
  bool lost_ = false;
  CufileReader* next_kept_ = nullptr;
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

device::GpuFileReader* make_file_reader(CudaGpu& gpu, uint64_t bytes, GpuError* error) {
  const CufileLibrary* const library = CufileLibrary::get(error);
  if (library == nullptr) {
    return nullptr;
  }
  auto* const reader = new (std::nothrow) CufileReader(*library, gpu);
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

device::GpuFileReader* make_file_reader(CudaGpu&, uint64_t, device::GpuError* error) {
  refuse(GLS_ERR_UNSUPPORTED, kWithout, error);
  return nullptr;
}

}  // namespace gls::cuda
#endif
