// Pickles, alone and as the eight files of a Planetoid graph. The first byte chooses; then comes
// one pickle, or eight pieces, each after its length in two bytes.
#include <filesystem>
#include <fstream>

#include "ingest/build/builder.h"
#include "ingest/planetoid/pickle.h"
#include "input.h"

namespace {

constexpr const char* kFiles[] = {"x", "tx", "allx", "y", "ty", "ally", "graph", "test.index"};

class Folder {
 public:
  Folder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "gls-fuzz-XXXXXX").string();
    CLAIM(mkdtemp(pattern.data()) != nullptr);
    path_ = pattern;
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  void write(const std::string& name, std::string_view text) const {
    std::ofstream out(path_ + "/" + name, std::ios::binary | std::ios::trunc);
    out.write(text.data(), static_cast<std::streamsize>(text.size()));
    CLAIM(out.good());
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// Reads every value once. Values may refer to each other in cycles, so the number is limited.
uint64_t walk(const gls::PickleValue& value, int* budget) {
  uint64_t sum = value.text.size() + static_cast<uint64_t>(value.kind);
  for (const char c : value.text) {
    sum += static_cast<unsigned char>(c);
  }
  if (value.array != nullptr) {
    for (int64_t i = 0; i < value.array->size(); ++i) {
      sum += static_cast<uint64_t>(value.array->real(i) != 0);
    }
  }
  static_cast<void>(value.find("data"));
  for (const gls::PickleValue* item : value.items) {
    if (--*budget < 0) {
      break;
    }
    sum += walk(*item, budget);
  }
  return sum;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace gls;
  fuzz::Input input(data, size);
  if (input.chance()) {
    const fuzz::MemoryFile file(input.rest());
    Result<Pickle> pickle = Pickle::load(file.path());
    if (pickle.ok()) {
      int budget = 1000;
      volatile uint64_t sum = walk(pickle->root(), &budget);
      static_cast<void>(sum);
    } else {
      fuzz::claim_error(pickle.status());
    }
    return 0;
  }
  static const Folder folder;
  for (const char* name : kFiles) {
    folder.write(std::string("ind.g.") + name, input.piece());
  }
  Builder builder(fuzz::shared_context());
  const Status status = builder.add_planetoid(folder.path(), "g");
  if (!status.ok()) {
    fuzz::claim_error(status);
    return 0;
  }
  BuildOptions options;
  options.memory = uint64_t{64} << 20;
  Result<std::shared_ptr<const Dataset>> dataset = builder.build(options);
  if (!dataset.ok()) {
    fuzz::claim_error(dataset.status());
  }
  return 0;
}
