// A stream of Arrow batches that the builder owns. The thread that builds reads it, once.
#pragma once

#include <gls.h>

#include <memory>
#include <string>
#include <vector>

#include "ingest/arrow/arrow_schema.h"
#include "tensor/arrow_export.h"

namespace gls {

class ArrowStream {
 public:
  // Reads the schema; the stream stays the caller's. `label` names it in errors.
  static Result<std::vector<ArrowField>> read_fields(ArrowArrayStream* stream,
                                                     const std::string& label);
  // Moves the stream, which cannot fail.
  void take(ArrowArrayStream* stream) noexcept;

  // An error if next() was called before: a stream is read once.
  Status begin(const std::string& label);
  // NULL at the end. The fields of the batch were not checked.
  Result<std::shared_ptr<const ArrowArray>> next(const std::string& label);
  void close() { stream_.clear(); }

 private:
  ArrowOwned<ArrowArrayStream> stream_;
  bool begun_ = false;
};

}  // namespace gls
