/** @file gls_swig_feed.hpp
 *  Part of gls_swig.hpp: feeds, and what a loader is attached to them by.
 */
#ifndef GLS_SWIG_FEED_HPP
#define GLS_SWIG_FEED_HPP

#include <cstdint>
#include <string>
#include <vector>

#include "gls_swig_context.hpp"
#include "gls_swig_loader.hpp"

namespace gls::facade {

struct FeedInfo {
  uint64_t consumers;
  uint64_t attached;
  uint64_t lost;
  uint64_t batches;
  uint64_t batch_bytes;
  uint64_t used_bytes;
  uint64_t wait_ns;
  uint64_t copied_bytes;
};

class Feed {
 public:
  /** @param mode  permissions of the socket; for this and the numbers after it 0 is the default */
  Feed(const Loader* loader, const char* path, uint32_t consumers, uint32_t mode, uint64_t bytes,
       uint32_t prefetch)
      : feed_(loader->impl(), options(path, consumers, mode, bytes, prefetch)) {}
  /** Whether trainers were attached and none is any more.
   *  @param timeout_ms  as in gls.h */
  bool is_over(int64_t timeout_ms) { return feed_.wait(timeout_ms); }
  FeedInfo* info() const {
    const gls_feed_info_t i = feed_.info();
    return new FeedInfo{i.consumers,   i.attached,   i.lost,    i.batches,
                        i.batch_bytes, i.used_bytes, i.wait_ns, i.copied_bytes};
  }

 private:
  static gls_feed_options_t options(const char* path, uint32_t consumers, uint32_t mode,
                                    uint64_t bytes, uint32_t prefetch) {
    gls_feed_options_t out = GLS_FEED_OPTIONS_INIT;
    out.path = path;
    out.consumers = consumers;
    out.mode = mode;
    out.bytes = bytes;
    out.prefetch = prefetch;
    return out;
  }
  gls::Feed feed_;
};

/** How a loader is attached to feeds. */
class Attachment {
 public:
  Attachment() = default;
  void add_path(const char* path) { paths_.push_back(text_or_empty(path)); }
  /** @param world_size  0: as the feed says */
  void set_trainer(uint32_t rank, uint32_t world_size) {
    options_.rank = rank;
    options_.world_size = world_size;
  }
  /** As in gls.h, whose default holds otherwise. */
  void set_timeout_ms(int64_t ms) { timeout_ms_ = ms; }
  void set_stall_ms(uint32_t ms) { options_.stall_ms = ms; }
  /** By which GPU the memory is pinned; otherwise it is not. */
  void set_pin(int32_t gpu) { options_.pin = {kDLCUDA, gpu}; }
  /** Waits until the feeds are there. */
  Loader* attach(const Context* context) const {
    return new Loader(gls::Loader::attach(context->impl(), paths_, options_, timeout_ms_));
  }

 private:
  gls_attach_options_t options_ = GLS_ATTACH_OPTIONS_INIT;
  int64_t timeout_ms_ = GLS_TIMEOUT_DEFAULT;
  std::vector<std::string> paths_;
};

}  // namespace gls::facade

#endif  // GLS_SWIG_FEED_HPP
