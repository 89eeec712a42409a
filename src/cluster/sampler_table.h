// The samplers that clients of a server opened, by number. Equal options are one sampler.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "cluster/part.h"

namespace gls {

class SamplerTable {
 public:
  using Make = std::function<Result<std::shared_ptr<const PartSampler>>()>;
  // Gets the number, or why there is none.
  using Opened = std::function<void(uint64_t, const Status&)>;

  // Beyond `most` the one goes that was longest not asked; who asks it then opens it again. What is
  // asked just now works to its end.
  explicit SamplerTable(size_t most);

  // The number of the sampler with these options, which are bytes to this. One is made at a time
  // from equal options: `opened` is called on this thread, or by who makes it already.
  void open(std::string_view options, const Make& make, Opened opened);
  // NULL: unknown, or not any more.
  std::shared_ptr<const PartSampler> find(uint64_t number);
  size_t size() const;

 private:
  struct Entry {
    uint64_t number;
    std::string options;
    std::shared_ptr<const PartSampler> sampler;  // NULL: it is being made
    std::vector<Opened> waiting;
  };
  using Entries = std::list<Entry>;

  const size_t most_;
  mutable std::mutex mutex_;
  uint64_t next_number_;
  Entries entries_;                                                     // least recently used first
  std::unordered_map<std::string_view, Entries::iterator> by_options_;  // views an entry's
  std::unordered_map<uint64_t, Entries::iterator> by_number_;
};

}  // namespace gls
