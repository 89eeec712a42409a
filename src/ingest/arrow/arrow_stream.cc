#include "ingest/arrow/arrow_stream.h"

#include <cerrno>
#include <cstring>

#include "base/utf8.h"

namespace gls {
namespace {

Status stream_error(ArrowArrayStream* stream, int code, const std::string& label) {
  const char* const words =
      stream->get_last_error != nullptr ? stream->get_last_error(stream) : nullptr;
  std::string_view said = words != nullptr ? words : "";
  said = said.substr(0, utf8_prefix(said));
  const std::string_view why = said.empty() ? "it does not say why" : said;
  if (code == ENOMEM) {
    return error(GLS_ERR_OUT_OF_MEMORY, "{}: the stream ran out of memory: {}", label, why);
  }
  return error(GLS_ERR_IO, "{}: the stream failed: {} (code {})", label, why, code);
}

}  // namespace

Result<std::vector<ArrowField>> ArrowStream::read_fields(ArrowArrayStream* stream,
                                                         const std::string& label) {
  if (stream->release == nullptr || stream->get_schema == nullptr || stream->get_next == nullptr) {
    return invalid("{}: the stream was released or moved before", label).with("argument", "stream");
  }
  ArrowOwned<ArrowSchema> schema;
  if (const int code = stream->get_schema(stream, &schema); code != 0) {
    schema.release = nullptr;
    return stream_error(stream, code, label);
  }
  Result<std::vector<ArrowField>> fields = read_arrow_fields(schema);
  if (!fields.ok()) {
    return std::move(fields.status()).prefixed(label + ": ");
  }
  return fields;
}

void ArrowStream::take(ArrowArrayStream* stream) noexcept {
  static_cast<ArrowArrayStream&>(stream_) = *stream;
  stream->release = nullptr;
}

Status ArrowStream::begin(const std::string& label) {
  if (begun_) {
    return error(GLS_ERR_INVALID_STATE,
                 "{}: an earlier build read the stream and failed; a stream can be read only once, "
                 "so add it to a new builder",
                 label);
  }
  begun_ = true;
  return {};
}

Result<std::shared_ptr<const ArrowArray>> ArrowStream::next(const std::string& label) {
  auto array = std::make_shared<ArrowOwned<ArrowArray>>();
  if (const int code = stream_.get_next(&stream_, array.get()); code != 0) {
    array->release = nullptr;
    return stream_error(&stream_, code, label);
  }
  return array->release == nullptr ? nullptr
                                   : std::shared_ptr<const ArrowArray>(array, array.get());
}

}  // namespace gls
