#include "cluster/part/row_fetch.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace gls {
namespace {

SplitByOwner::Instead local_copies(const Parts& parts, const RowQuestion& question) {
  return local_instead(parts, [&](const Part& part) { return part.copies(question); });
}

}  // namespace

// ---- to memory of the host ---------------------------------------------------------------------

Status RowFetch::ask(const PartitionBook& book, const RowQuestion& given,
                     std::vector<int64_t> shape, SharedBytes memory) {
  RowQuestion question = given;
  const auto ids = question.ids.size();
  if (question.repeats && any_remote(parts_)) {
    distinct_ = UniqueIds(question.ids);
    question.ids = distinct_.span();
  }
  const SplitByOwner::Instead instead = local_copies(parts_, question);
  if (memory == nullptr && ids > 0 && ids == shape[0] && ids == question.ids.size()) {
    if (const auto only = SplitByOwner::only_owner(book, question.ids, instead)) {
      whole_ = parts_[*only]->ask_rows(given);
      return {};
    }
  }
  GLS_ASSIGN(split_, SplitByOwner::split(book, question.ids, instead));
  row_ = static_cast<int64_t>(dtype_bytes(question.dtype));
  for (size_t d = 1; d < shape.size(); ++d) {
    row_ *= shape[d];
  }
  memory = given_or_acquired(std::move(memory), pool_, static_cast<size_t>(shape[0] * row_));
  out_bytes_ = memory.get();
  std::fill(out_bytes_ + ids * row_, out_bytes_ + shape[0] * row_, std::byte{0});
  out_ = Tensor(memory, out_bytes_, question.dtype, std::move(shape), false);
  asked_.resize(parts_.size());
  places_.resize(parts_.size());
  ask_all(parts_, split_, [&](size_t p, const SplitByOwner::Share& share) {
    RowQuestion of = question;
    of.ids = share.span();
    const int64_t* places = share.places.data();
    if (!distinct_.repeats().empty()) {
      places_[p].reserve(share.places.size());
      for (const int64_t place : share.places) {
        places_[p].push_back(distinct_.place(place));
      }
      places = places_[p].data();
    }
    asked_[p] = parts_[p]->ask_rows_to(of, {out_bytes_, places, row_, memory});
  });
  return {};
}

Result<Tensor> RowFetch::take() {
  if (whole_) {
    return whole_();
  }
  std::vector<Done> done;
  GLS_TRY(take_all(parts_, &asked_, &done));
  for (const auto& [first, place] : distinct_.repeats()) {
    std::memcpy(out_bytes_ + place * row_, out_bytes_ + first * row_, static_cast<size_t>(row_));
  }
  return std::move(out_);
}

// ---- to memory that devices write -------------------------------------------------------------

Status DeviceRowFetch::ask(const PartitionBook& book, const RowQuestion& given,
                           const RowLanding& landing) {
  RowQuestion question = given;
  num_ids_ = given.ids.size();
  repeats_ = question.repeats;
  if (repeats_) {
    distinct_ = UniqueIds(question.ids);
    question.ids = distinct_.span();
  }
  GLS_ASSIGN(split_, SplitByOwner::split(book, question.ids, local_copies(parts_, question)));
  int64_t first = 0;
  for (const SplitByOwner::Share& share : split_.shares()) {
    firsts_.push_back(first);
    first += share.span().size();
  }
  asked_.resize(parts_.size());
  ask_all(parts_, split_, [&](size_t p, const SplitByOwner::Share& share) {
    RowQuestion of = question;
    of.ids = share.span();
    RowLanding to = landing;
    to.data += firsts_[p] * landing.row_bytes;
    asked_[p] = parts_[p]->land_rows(of, to);
  });
  return {};
}

Result<LandedRows> DeviceRowFetch::take() {
  std::vector<bool> received;
  GLS_TRY(take_all(parts_, &asked_, &received));
  LandedRows out;
  out.there = true;
  out.places.resize(static_cast<size_t>(num_ids_));
  const auto place = [&](int64_t i) -> int64_t& { return out.places[static_cast<size_t>(i)]; };
  for (size_t p = 0; p < parts_.size(); ++p) {
    const SplitByOwner::Share& share = split_.shares()[p];
    out.there = out.there && (received[p] || share.ids.empty());
    int64_t number = firsts_[p];
    for (const int64_t at : share.places) {
      place(repeats_ ? distinct_.place(at) : at) = number++;
    }
  }
  for (const UniqueIds::Repeat& repeat : distinct_.repeats()) {
    place(repeat.place) = place(repeat.first);
  }
  return out;
}

}  // namespace gls
