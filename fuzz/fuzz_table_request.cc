// Requests of clients about tables: any bytes, a sequence of requests built from the input, and
// those with some bytes changed. Each request must be answered once, at the latest when the server
// stops.
#include <algorithm>
#include <atomic>
#include <cstring>
#include <future>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cluster/part/local_part.h"
#include "cluster/rpc/function_registry.h"
#include "cluster/server/table_service.h"
#include "cluster/wire/table_messages.h"
#include "graph/partition/single_part.h"
#include "small_graph.h"

namespace {

using namespace gls;
using namespace gls::cluster;

constexpr uint64_t kGraph = 7;
constexpr uint64_t kMostBytes = uint64_t{1} << 20;

std::shared_ptr<const LocalPart> part() {
  static const std::shared_ptr<const LocalPart> out = [] {
    auto dataset = as_only_part(*fuzz::small_graph(), "graph");
    CLAIM(dataset.ok());
    auto made = LocalPart::create(dataset.take());
    CLAIM(made.ok());
    return made.take();
  }();
  return out;
}

class Asked {
 public:
  Asked()
      : functions_(std::make_shared<group::FunctionTable>(fuzz::shared_context(), 1,
                                                          std::vector<uint32_t>{0})),
        service_(std::make_shared<TableService>(fuzz::shared_context(), kGraph,
                                                TableService::Parts{{0, part()}}, kMostBytes)) {
    CLAIM(service_->add_to(functions_.get()).ok());
  }
  ~Asked() {
    service_->close();
    functions_->close();
    CLAIM(asked_ == *answered_);
  }
  Asked(const Asked&) = delete;
  Asked& operator=(const Asked&) = delete;

  // The reply if it concerns a table; empty for a wait that has not ended.
  TableAnswer ask(const net::Message& message, bool waits) {
    ++asked_;
    const auto kept = std::make_shared<const net::Message>(
        net::Message::copied(fuzz::shared_context()->buffers(), message.bytes()));
    const auto reply = std::make_shared<std::promise<net::Message>>();
    auto future = reply->get_future();
    group::FunctionCall::Origin origin;
    origin.keeps = kept;
    origin.answer = [reply, count = answered_](net::Message said) {
      ++*count;
      reply->set_value(std::move(said));
    };
    origin.refuse = [waits, count = answered_](const Status& why) {
      CLAIM(waits && !why.message().empty());  // the server stopped before the request was started
      ++*count;
    };
    functions_->call({kTableFunction, -1, 0, kept->bytes()}, std::move(origin));
    if (waits) {
      return {};
    }
    const net::Message said = future.get();
    Status failure;
    auto bytes = group::decode_reply(said.bytes(), &failure);
    CLAIM(bytes.ok());
    if (!failure.ok()) {
      CLAIM(!failure.message().empty());
      return {};
    }
    auto answer = decode_table_answer(*bytes);
    return answer.ok() ? answer.take() : TableAnswer();
  }

 private:
  const std::shared_ptr<group::FunctionTable> functions_;
  const std::shared_ptr<TableService> service_;
  const std::shared_ptr<std::atomic<size_t>> answered_ = std::make_shared<std::atomic<size_t>>(0);
  size_t asked_ = 0;
};

table::TableOptions form(fuzz::Input& input) {
  table::TableOptions out;
  const DLDataType dtypes[] = {kFloat32, kFloat32, kInt64, kUint8};
  out.dtype = dtypes[input.below(4)];
  out.width = input.below(16) == 0 ? static_cast<int64_t>(input.number(8)) : 1 + input.below(8);
  out.optimizer = static_cast<table::Optimizer>(input.below(4));
  out.mean = input.chance();
  out.row_steps = input.chance();
  out.high = input.below(3);
  out.epsilon = 1e-8;
  out.beta1 = 0.5;
  out.beta2 = 0.75;
  return out;
}

void ask_all(fuzz::Input& input) {
  Asked server;
  uint64_t number = 0;
  int64_t width = 1;
  for (int i = 0; i < 32 && !input.empty(); ++i) {
    TableRequest request;
    request.graph = input.below(32) == 0 ? 0 : kGraph;
    request.part = input.below(32) == 0 ? 1 : 0;
    request.what = static_cast<TableWhat>(input.below(11));
    request.of_nodes = input.below(4) != 0;
    request.name = std::string(1, static_cast<char>('a' + input.below(2)));
    request.number = number;
    request.array = static_cast<table::Array>(input.below(4));
    request.rank = input.below(3);
    request.world_size = 1 + input.below(3);
    request.step = input.below(16) == 0 ? static_cast<int64_t>(input.number(8)) : input.below(4);
    request.token = input.below(4);
    request.learning_rate = 0.5;
    if (request.what == TableWhat::kOpen && input.below(8) != 0) {
      request.form = form(input);
      width = request.form->width;
    }
    std::vector<int64_t> ids(input.below(6));
    int64_t last = 0;
    for (int64_t& id : ids) {
      last += input.below(4);
      id = input.below(32) == 0 ? static_cast<int64_t>(input.number(8)) : last;
    }
    request.ids = span_of(ids);
    const std::vector<int32_t> counts(ids.size(), static_cast<int32_t>(input.below(8)));
    request.counts = input.chance() ? counts.data() : nullptr;
    const bool other = input.below(16) == 0;
    const std::vector<float> rows(
        other ? input.byte() : ids.size() * static_cast<size_t>(std::clamp<int64_t>(width, 0, 64)),
        1.5F);
    request.rows = std::as_bytes(std::span(rows));
    const net::Message message = encode(fuzz::shared_context()->buffers(), request);
    bool changed = input.below(8) == 0;
    for (uint32_t n = changed ? 1 + input.below(4) : 0; n > 0; --n) {
      message.bytes()[input.number(2) % message.size()] = static_cast<std::byte>(input.byte());
    }
    // Only the decoder knows the kind of a changed request.
    const auto said = decode_table_request(message.bytes());
    const bool waits = said.ok() && said->what == TableWhat::kWait;
    const TableAnswer answer = server.ask(message, waits);
    number = request.what == TableWhat::kOpen && answer.number != 0 ? answer.number : number;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzz::Input input(data, size);
  if (input.chance()) {
    ask_all(input);
    return 0;
  }
  const std::string_view rest = input.rest();
  const net::Message message = net::Message::copied(
      fuzz::shared_context()->buffers(), std::as_bytes(std::span(rest.data(), rest.size())));
  const auto& pool = fuzz::shared_context()->buffers();
  if (const auto request = decode_table_request(message.bytes()); request.ok()) {
    CLAIM(decode_table_request(encode(pool, *request).bytes()).ok());
  }
  if (const auto answer = decode_table_answer(message.bytes()); answer.ok()) {
    const PackedAnswer again = encode(pool, *answer, answer->rows.size());
    std::copy(answer->rows.begin(), answer->rows.end(), again.rows);
    CLAIM(decode_table_answer(again.message.bytes()).ok());
  }
  return 0;
}
