#include "feed/consumer.h"

#include <chrono>
#include <cstring>
#include <thread>
#include <utility>

#include "base/clock.h"

namespace gls {
namespace {

constexpr size_t kMostBacklog = 1 << 16;  // messages to a trainer that reads none

std::string size_text(uint64_t bytes) {
  constexpr double kMiB = 1 << 20;
  return formatted("{:.1f} MiB", static_cast<double>(bytes) / kMiB);
}

}  // namespace

Result<std::unique_ptr<Consumer>> Consumer::create(const Loader& loader,
                                                   const ConsumerOptions& options,
                                                   std::string_view greeting,
                                                   std::shared_ptr<ConsumerSignal> signal,
                                                   Fd socket) {
  const uint64_t begin = aligned(greeting.size());
  GLS_ASSIGN(std::shared_ptr<SharedMemory> memory,
             SharedMemory::create(begin + aligned(options.bytes)));
  std::memcpy(memory->data(), greeting.data(), greeting.size());
  std::unique_ptr<Consumer> out(new Consumer(loader, options, std::move(signal), std::move(socket),
                                             std::move(memory), begin));
  Message welcome = Message::of(Tell::kWelcome);
  welcome.a = out->memory_->size();
  welcome.b = greeting.size();
  welcome.c = options.share.world_size;
  if (send_packed(out->socket(), packed(welcome), out->memory_->fd()) != Sent::kDone) {
    return error(GLS_ERR_IO, "a trainer was gone before it was let in");
  }
  return out;
}

Consumer::Consumer(const Loader& loader, const ConsumerOptions& options,
                   std::shared_ptr<ConsumerSignal> signal, Fd socket,
                   std::shared_ptr<SharedMemory> memory, uint64_t begin)
    : options_(options),
      context_(loader.dataset()->context()),
      socket_(std::move(socket)),
      watch_(watch_peer(socket_.get(), &pid_)),
      memory_(std::move(memory)),
      arena_(begin, memory_->size()),
      shared_(std::make_shared<Shared>()),
      returns_(std::make_shared<Returns>(signal)),
      loader_(loader.share(options.share)) {
  shared_->signal = std::move(signal);
}

Consumer::~Consumer() {
  // Tasks use the loader, and the context must outlive them. They may wait for servers.
  while (shared_->tasks.load() != 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  loader_.reset();  // waits for its own tasks
}

void Consumer::end() {
  stop_waiting();
  loader_->cancel();
  waiting_.reset();
  running_ = false;
}

bool Consumer::idle() const { return loader_->idle() && shared_->tasks.load() == 0; }

uint64_t Consumer::wait_ns() const {
  return wait_ns_ + (waiting_since_ != 0 ? now_ns() - waiting_since_ : 0);
}

void Consumer::stop_waiting() {
  wait_ns_ = wait_ns();
  waiting_since_ = 0;
}

void Consumer::say_closed() {
  static_cast<void>(send_packed(socket(), packed(Message::of(Tell::kClosed))));
}

void Consumer::hang_up() {
  socket_.reset();
  watch_.reset();
}

bool Consumer::step() {
  if (!hear()) {
    return false;
  }
  collect();
  take_returns();
  pull();
  return flush();
}

// ---- messages of the trainer --------------------------------------------------------------------

bool Consumer::hear() {
  for (;;) {
    const Received heard = receive(socket());
    switch (heard.what) {
      case Received::What::kNothing:
        return true;
      case Received::What::kGone:
        return false;
      case Received::What::kDamaged:
        fault_ = "it sent what is no message";
        return false;
      default:
        break;
    }
    if (!obey(heard.message)) {
      return false;
    }
  }
}

bool Consumer::obey(const Message& message) {
  switch (static_cast<Tell>(message.tell)) {
    case Tell::kStart:
      start(message);
      return true;
    case Tell::kStop:
      end();
      return true;
    case Tell::kTaken:
      if (message.run == run_ && ready_ > 0) {
        --ready_;
      }
      return true;
    case Tell::kRelease:
      // The trainer cannot know an unfinished block, because it was never sent.
      if (!arena_.give_back(message.a)) {
        fault_ = "it released what it did not have";
        return false;
      }
      said_full_ = false;
      return true;
    case Tell::kLeave:
      left_ = true;
      return false;
    default:
      fault_ = formatted("it sent message {}", message.tell);
      return false;
  }
}

void Consumer::start(const Message& message) {
  stop_waiting();
  waiting_.reset();
  run_ = message.run;
  next_step_ = 0;
  ready_ = 0;
  said_full_ = false;
  // Batches of an earlier run are sent anyway, and the trainer releases their blocks.
  promised_ = false;
  shared_->ready.store(false);
  loader_->seek(message.a, message.b);
  running_ = true;
}

// ---- batches -----------------------------------------------------------------------------------

void Consumer::pull() {
  while (running_) {
    if (shared_->tasks.load() >= loader_->options().num_workers) {
      return;  // the next task that finishes wakes the thread
    }
    if (waiting_ != nullptr) {
      if (!place()) {
        return;
      }
      continue;
    }
    if (ready_ >= options_.prefetch) {
      return;
    }
    if (promised_ && !shared_->ready.exchange(false)) {
      return;  // the loader will call back
    }
    promised_ = false;
    std::shared_ptr<Batch> batch;
    Result<Loader::Next> next = loader_->next(0, &batch);
    if (!next.ok()) {
      send_error(next.status());
      continue;
    }
    if (*next == Loader::Next::kEnd) {
      running_ = false;
      return;
    }
    if (*next == Loader::Next::kBatch) {
      if (Status status = take(std::move(batch)); !status.ok()) {
        send_error(status);
      }
      continue;
    }
    // No batch is ready. The call may come before notify() returns.
    promised_ = true;
    Result<bool> now = loader_->notify(
        [](void* data) {
          auto* const shared = static_cast<Shared*>(data);
          shared->ready.store(true);
          shared->signal->raise();
        },
        shared_.get());
    if (!now.ok() || *now) {
      promised_ = false;
    }
    if (!now.ok()) {
      return;
    }
  }
}

Status Consumer::take(std::shared_ptr<Batch> batch) try {
  GLS_ASSIGN(BatchLayout layout, lay_out(*batch));
  if (layout.bytes > arena_.bytes()) {
    return error(GLS_ERR_OUT_OF_MEMORY,
                 "batch {} of epoch {} takes {}, but a trainer's memory in the feed is {}; raise "
                 "bytes",
                 batch->number, batch->epoch, size_text(layout.bytes), size_text(arena_.bytes()))
        .with("argument", "bytes");
  }
  auto finish = std::make_shared<Finish>();
  finish->slot = std::make_shared<Slot>(memory_, returns_);
  finish->bytes = layout.bytes;
  finish->copied_bytes = layout.copied_bytes();
  waiting_ =
      std::make_shared<Sampled>(Sampled{std::move(batch), std::move(layout), std::move(finish)});
  return {};
} catch (const std::bad_alloc&) {
  return Status::out_of_memory();
}

void Consumer::take_returns() {
  for (const uint64_t offset : returns_->take()) {
    arena_.give_back(offset);
  }
}

// Finds room for the waiting batch, and submits the task that finishes it there.
bool Consumer::place() {
  const BatchLayout& layout = waiting_->layout;
  Slot& slot = *waiting_->finish->slot;
  if (!slot.has_block()) {  // otherwise the rest lacked memory
    const std::optional<uint64_t> offset = arena_.take(layout.bytes);
    if (!offset.has_value()) {
      if (waiting_since_ == 0) {
        waiting_since_ = now_ns();
      }
      if (!said_full_) {
        said_full_ = true;
        outgoing_.push_back({Message::of(Tell::kFull, run_), {}, nullptr});
        collect();
      }
      return false;
    }
    slot.set_block(*offset);
    // The feed may have got room back without the trainer. The next batch tells the trainer so.
    said_full_ = false;
    stop_waiting();
  }
  Message message = Message::of(Tell::kBatch, run_);
  message.a = next_step_;
  message.b = slot.offset();
  message.c = layout.bytes;
  message.d = layout.description.size();
  message.e = loader_->stats().worker_wait_ns;
  outgoing_.push_back({message, {}, waiting_->finish});
  // From here on nothing fails.
  ++next_step_;
  ++ready_;
  submit(std::exchange(waiting_, nullptr));
  return true;
}

// Copies what was made before a slot was available, and gathers columns directly into the slot.
void Consumer::submit(std::shared_ptr<Sampled> sampled) {
  shared_->tasks.fetch_add(1);
  auto work = [shared = shared_, loader = loader_.get(), sampled = std::move(sampled)]() mutable {
    std::shared_ptr<Finish> finish = sampled->finish;
    finish->status = fill(*loader, sampled.get(), finish->slot.get());
    sampled.reset();
    finish->done.store(true);
    finish.reset();
    // Afterwards this object, the loader and the context may be destroyed.
    const std::shared_ptr<ConsumerSignal> signal = shared->signal;
    shared->tasks.fetch_sub(1);
    signal->raise();
  };
  try {
    loader_->gathering_pool().submit(work);
  } catch (const std::bad_alloc&) {
    work();
  }
}

Status Consumer::fill(const Loader& loader, Sampled* sampled, Slot* slot) try {
  BatchLayout& layout = sampled->layout;
  if (loader.columns_later()) {
    const uint64_t started = now_ns();
    std::vector<SharedBytes> memory;
    memory.reserve(sampled->batch->columns.size());
    for (size_t i = 0; i < sampled->batch->columns.size(); ++i) {
      memory.push_back(slot->at(layout.places[layout.first_column + i].offset));
    }
    GLS_TRY(loader.gather_to(memory, sampled->batch.get()));
    layout.set_gather_ns(now_ns() - started);
  }
  write_batch(layout, slot->data());
  return {};
} catch (const std::bad_alloc&) {
  return Status::out_of_memory();
}

// Sends finished batches in order.
void Consumer::collect() {
  while (!outgoing_.empty() &&
         (outgoing_.front().finish == nullptr || outgoing_.front().finish->done.load())) {
    // Stays until it is sent: without memory, sending is tried again.
    Outgoing& out = outgoing_.front();
    const bool made = out.finish != nullptr && out.finish->status.ok();
    if (out.finish != nullptr && !made) {
      out.text = pack_error(out.finish->status);
      out.message = error_message(out.message.run, out.message.a, out.finish->status);
    }
    post(packed(out.message, out.text));
    if (made) {
      ++batches_;
      batch_bytes_ += out.finish->bytes;
      copied_bytes_ += out.finish->copied_bytes;
      out.finish->slot->set_sent();
    }
    outgoing_.pop_front();
  }
}

Message Consumer::error_message(uint64_t run, uint64_t step, const Status& status) {
  Message message = Message::of(Tell::kError, run);
  message.a = step;
  message.b = static_cast<uint64_t>(static_cast<int64_t>(status.code()));
  return message;
}

void Consumer::send_error(const Status& status) {
  outgoing_.push_back({error_message(run_, next_step_, status), pack_error(status), nullptr});
  ++next_step_;
  ++ready_;
  collect();
}

void Consumer::post(std::string packed) {
  if (backlog_.empty()) {
    const Sent sent = send_packed(socket(), packed);
    if (sent == Sent::kDone) {
      return;
    }
    gone_ = gone_ || sent == Sent::kGone;
  }
  backlog_.push_back(std::move(packed));
}

bool Consumer::flush() {
  while (!backlog_.empty() && !gone_) {
    const Sent sent = send_packed(socket(), backlog_.front());
    if (sent == Sent::kFull) {
      break;
    }
    gone_ = sent == Sent::kGone;
    backlog_.pop_front();
  }
  if (backlog_.size() > kMostBacklog) {
    fault_ = "it reads no messages";
    return false;
  }
  return !gone_;
}

}  // namespace gls
