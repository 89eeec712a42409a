// libcufile.so.0 on a processor: reads past the page cache with pread, into memory of the emulated
// runtime. That memory is a file, and is written as one, as the processor may not touch it between
// waiting for the device and its next work. What cuFile wants of its callers is checked; reads are
// done when they are waited for, the last first.
#include "cufile_on_host.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "cufile.h"

namespace {

constexpr uint64_t kBlock = 4096;
constexpr unsigned kMostReads = 128;

struct Buffer {
  size_t length;
  int file;  // of the device's memory
  off_t offset;
};
struct File {
  int fd;
};
struct Batch {
  unsigned most;
  std::vector<CUfileIOParams_t> waiting;
};

// What storage still writes to must not be given back.
void check(bool none_in_flight, const char* call) {
  if (!none_in_flight) {
    std::fprintf(stderr, "%s with reads in flight\n", call);
    std::abort();
  }
}

std::mutex mutex;
CufileOnHost told;
uint64_t in_flight = 0;
// By parameter: both of its compatible modes are on.
std::map<CUFileBoolConfigParameter_t, bool> parameters = {
    {CUFILE_PARAM_PROPERTIES_ALLOW_COMPAT_MODE, true}, {CUFILE_PARAM_FORCE_COMPAT_MODE, true}};
std::string fault;
int put_off = 0;  // calls of status that are to be made again
std::map<const void*, Buffer> buffers;
std::set<const Batch*> batches;

template <typename Of>
bool none_in_flight(const Of& of) {
  return std::all_of(batches.begin(), batches.end(), [&](const Batch* batch) {
    return std::none_of(batch->waiting.begin(), batch->waiting.end(), of);
  });
}

CUfileError_t result(CUfileOpError error) { return {error, CUDA_SUCCESS}; }

bool fails(const char* call) { return fault == call; }

// Of this process, by its number; -1: it is not open. Others open and close files meanwhile, and so
// each is looked at by its name: a link of which the owner's bits say how the file is open.
int open_file_of(uint64_t inode) {
  int out = -1;
  const std::string folder_name = "/proc/self/fd/";
  DIR* const folder = opendir(folder_name.c_str());
  while (const dirent* const entry = folder != nullptr ? readdir(folder) : nullptr) {
    const std::string name = folder_name + entry->d_name;
    constexpr mode_t kBothWays = S_IRUSR | S_IWUSR;
    struct stat link {};
    struct stat file {};
    if (entry->d_name[0] != '.' && lstat(name.c_str(), &link) == 0 &&
        (link.st_mode & kBothWays) == kBothWays && stat(name.c_str(), &file) == 0 &&
        file.st_ino == inode) {
      out = std::atoi(entry->d_name);
    }
  }
  if (folder != nullptr) {
    closedir(folder);
  }
  return out;
}

bool find_memory(const void* base, Buffer* out) {
  const auto at = reinterpret_cast<uintptr_t>(base);
  std::FILE* const maps = std::fopen("/proc/self/maps", "r");
  char line[512];
  bool found = false;
  while (maps != nullptr && !found && std::fgets(line, sizeof line, maps) != nullptr) {
    uintptr_t first = 0;
    uintptr_t last = 0;
    uint64_t offset = 0;
    uint64_t inode = 0;
    if (std::sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %*s %" SCNx64 " %*s %" SCNu64, &first, &last,
                    &offset, &inode) == 4 &&
        at >= first && at < last && std::strstr(line, "memory of a device") != nullptr) {
      out->file = open_file_of(inode);
      out->offset = static_cast<off_t>(offset + (at - first));
      found = out->file >= 0;
    }
  }
  if (maps != nullptr) {
    std::fclose(maps);
  }
  return found;
}

ssize_t read_now(CUfileHandle_t fh, const void* base, size_t size, off_t from, off_t to) {
  const auto buffer = buffers.find(base);
  if (fh == nullptr || buffer == buffers.end() || to < 0 ||
      static_cast<size_t>(to) + size > buffer->second.length) {
    return -CU_FILE_INVALID_VALUE;
  }
  const size_t whole = (size + kBlock - 1) / kBlock * kBlock;
  void* const bounce = std::aligned_alloc(kBlock, whole);
  const ssize_t came = pread(static_cast<const File*>(fh)->fd, bounce, whole, from);
  size_t given = std::min(size, static_cast<size_t>(std::max<ssize_t>(came, 0)));
  if (fails("short")) {
    given /= 2;
  }
  const ssize_t written = pwrite(buffer->second.file, bounce, given, buffer->second.offset + to);
  std::free(bounce);
  ++told.reads;
  told.bytes += given;
  return came < 0 || written < 0 ? -errno : written;
}

}  // namespace

void cufile_on_host(CufileOnHost* out) {
  const std::lock_guard lock(mutex);
  *out = told;
}

void cufile_on_host_fail(const char* call) {
  const std::lock_guard lock(mutex);
  fault = call;
  put_off = fails("later") ? 5 : 0;
}

CUfileError_t cuFileDriverOpen() {
  const std::lock_guard lock(mutex);
  if (fails("opened")) {
    return result(CU_FILE_DRIVER_ALREADY_OPEN);
  }
  ++told.opened;
  return result(fails("open") ? CU_FILE_DRIVER_NOT_INITIALIZED : CU_FILE_SUCCESS);
}
CUfileError_t cuFileDriverGetProperties(CUfileDrvProps_t* props) {
  *props = {};
  props->max_batch_io_size = kMostReads;
  return result(CU_FILE_SUCCESS);
}
CUfileError_t cuFileSetParameterBool(CUFileBoolConfigParameter_t param, bool value) {
  const std::lock_guard lock(mutex);
  if (fails("opened") || (fails("forced") && param == CUFILE_PARAM_FORCE_COMPAT_MODE)) {
    return result(CU_FILE_DRIVER_ALREADY_OPEN);
  }
  parameters.at(param) = value;
  return result(CU_FILE_SUCCESS);
}
CUfileError_t cuFileGetParameterBool(CUFileBoolConfigParameter_t param, bool* value) {
  const std::lock_guard lock(mutex);
  *value = parameters.at(param);
  return result(CU_FILE_SUCCESS);
}

CUfileError_t cuFileHandleRegister(CUfileHandle_t* fh, CUfileDescr_t* descr) {
  const std::lock_guard lock(mutex);
  if (fails("register") || (fcntl(descr->handle.fd, F_GETFL) & O_DIRECT) == 0) {
    return result(CU_FILE_IO_NOT_SUPPORTED);
  }
  *fh = new File{descr->handle.fd};
  ++told.files;
  return result(CU_FILE_SUCCESS);
}
void cuFileHandleDeregister(CUfileHandle_t fh) {
  const std::lock_guard lock(mutex);
  check(none_in_flight([&](const CUfileIOParams_t& read) { return read.fh == fh; }), __func__);
  delete static_cast<File*>(fh);
  --told.files;
}

CUfileError_t cuFileBufRegister(const void* base, size_t length, int) {
  const std::lock_guard lock(mutex);
  Buffer buffer = {length, -1, 0};
  if (fails("buffer") || !find_memory(base, &buffer)) {
    return result(CU_FILE_GPU_MEMORY_PINNING_FAILED);
  }
  buffers[base] = buffer;
  ++told.buffers;
  told.most_buffers = std::max(told.most_buffers, told.buffers);
  return result(CU_FILE_SUCCESS);
}
CUfileError_t cuFileBufDeregister(const void* base) {
  const std::lock_guard lock(mutex);
  check(none_in_flight(
            [&](const CUfileIOParams_t& read) { return read.u.batch.devPtr_base == base; }),
        __func__);
  told.buffers -= buffers.erase(base);
  return result(CU_FILE_SUCCESS);
}

ssize_t cuFileRead(CUfileHandle_t fh, void* base, size_t size, off_t file_offset, off_t offset) {
  const std::lock_guard lock(mutex);
  return fails("tail") ? -CU_FILE_IO_ERROR : read_now(fh, base, size, file_offset, offset);
}

CUfileError_t cuFileBatchIOSetUp(CUfileBatchHandle_t* batch, unsigned nr) {
  const std::lock_guard lock(mutex);
  if (fails("batch")) {
    return result(CU_FILE_IO_ERROR);
  }
  if (fails("setup") || nr == 0 || nr > kMostReads) {
    return result(CU_FILE_NOMEM_ERROR);
  }
  auto* const made = new Batch{nr, {}};
  *batch = made;
  batches.insert(made);
  ++told.batches;
  return result(CU_FILE_SUCCESS);
}
CUfileError_t cuFileBatchIOSubmit(CUfileBatchHandle_t handle, unsigned nr, CUfileIOParams_t* reads,
                                  unsigned flags) {
  const std::lock_guard lock(mutex);
  Batch& batch = *static_cast<Batch*>(handle);
  if (nr == 0 || nr > batch.most || !batch.waiting.empty() || flags != 0) {
    return result(CU_FILE_INVALID_VALUE);
  }
  const unsigned queued = fails("submit") ? (nr + 1) / 2 : nr;
  batch.waiting.assign(reads, reads + queued);
  in_flight += queued;
  told.most_in_flight = std::max(told.most_in_flight, in_flight);
  return result(fails("submit") ? CU_FILE_BATCH_SUBMIT_FAILED : CU_FILE_SUCCESS);
}
// Never more than a third of what there is, as long as that is enough or the time is bounded.
CUfileError_t cuFileBatchIOGetStatus(CUfileBatchHandle_t handle, unsigned min_nr, unsigned* nr,
                                     CUfileIOEvents_t* events, timespec* timeout) {
  const std::lock_guard lock(mutex);
  Batch& batch = *static_cast<Batch*>(handle);
  const auto there = static_cast<unsigned>(batch.waiting.size());
  if (fails("status") || put_off > 0) {
    put_off = std::max(put_off - 1, 0);
    return result(CU_FILE_INTERNAL_BATCH_GETSTATUS_ERROR);
  }
  if (fails("wait") || min_nr > there || min_nr > *nr) {
    return result(CU_FILE_INVALID_VALUE);
  }
  *nr = std::min(*nr, std::max(timeout != nullptr ? 0 : min_nr, (there + 2) / 3));
  if (fails("silent") && timeout != nullptr) {
    *nr = 0;
  }
  for (unsigned i = 0; i < *nr; ++i) {
    const CUfileIOParams_t read = batch.waiting.back();
    if (fails("pending")) {
      events[i] = {read.cookie, CUFILE_PENDING, 0};
      continue;
    }
    batch.waiting.pop_back();
    --in_flight;
    const auto& where = read.u.batch;
    const bool good = read.mode == CUFILE_BATCH && read.opcode == CUFILE_READ &&
                      static_cast<uint64_t>(where.file_offset) % kBlock == 0 &&
                      static_cast<uint64_t>(where.devPtr_offset) % kBlock == 0 &&
                      where.size % kBlock == 0 && where.size > 0;
    events[i].cookie = read.cookie;
    const bool fine = good && !fails("read") && !fails("state");
    const ssize_t came = fine ? read_now(read.fh, where.devPtr_base, where.size, where.file_offset,
                                         where.devPtr_offset)
                         : fails("state") ? 0
                         : good           ? -EIO
                                          : -CU_FILE_INVALID_VALUE;
    events[i].status = fine ? CUFILE_COMPLETE : good ? CUFILE_FAILED : CUFILE_INVALID;
    events[i].ret = static_cast<size_t>(came);
  }
  return result(CU_FILE_SUCCESS);
}
void cuFileBatchIODestroy(CUfileBatchHandle_t handle) {
  const std::lock_guard lock(mutex);
  const auto* const batch = static_cast<Batch*>(handle);
  if (batch->waiting.empty()) {
    batches.erase(batch);
    delete batch;
    --told.batches;
  }
}
