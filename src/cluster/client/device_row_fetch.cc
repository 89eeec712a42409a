// Fetches rows into memory that devices write. They arrive directly from the network where
// possible.
#include <utility>

#include "cluster/client/remote_rows.h"

namespace gls {

Status RemoteRows::send_to(const RowLanding& landing) {
  GLS_TRY(find_column());
  GLS_TRY(check_row_bytes(landing.row_bytes));
  GLS_TRY(begin_to_read([&](size_t) -> OneSidedRowRead::Target {
    return {landing.data, nullptr, landing.owner, landing.on_gpu};
  }));
  if (reading_ == nullptr) {
    ask_pieces(false, [&](uint64_t at, uint64_t bytes) -> net::ReplyPlace {
      return {landing.owner, {landing.data + at, bytes}, landing.on_gpu};
    });
  }
  return {};
}

Result<bool> RemoteRows::land_all(const RowLanding& landing) {
  GLS_TRY(status_.copy());
  if (reading_ == nullptr) {
    return land_pieces(landing);
  }
  Status status = reading_->wait();
  if (status.code() == GLS_ERR_UNSUPPORTED) {
    part_->windows_->refuse(question_, status);
    return part_->windows_->insists() ? Result<bool>(std::move(status)) : false;
  }
  return status.ok() ? Result<bool>(true) : not_received(std::move(status));
}

// Whether the rows can still be fetched in another way, since time is left.
Result<bool> RemoteRows::not_received(Status why) const {
  return cluster::is_of_server(why) && deadline_.left_ms() != 0 ? Result<bool>(false)
                                                                : Result<bool>(std::move(why));
}

// Copies rows that arrived in host memory. A question has one answer, so that no other thread
// writes to the destination.
Result<bool> RemoteRows::land_pieces(const RowLanding& landing) {
  std::byte* to = landing.data;
  int64_t left = question_.ids.size();
  for (auto& call : calls_) {
    Result<net::Message> reply = call->wait();
    call = nullptr;
    if (!reply.ok()) {
      return not_received(std::move(reply.status()));
    }
    const int64_t rows = std::min(rows_per_call_, left);
    GLS_TRY(cluster::check_rows(reply->bytes(), static_cast<uint64_t>(rows), row_bytes_));
    if (reply->data() != to) {
      GLS_TRY(landing.put(to, reply->bytes()));
    }
    to += reply->size();
    left -= rows;
  }
  return true;
}

Result<bool> RemoteRows::wait_to(const RowLanding& landing) {
  Result<bool> out = land_all(landing);
  calls_.clear();
  return out.ok() ? std::move(out) : about(std::move(out.status()));
}

}  // namespace gls
