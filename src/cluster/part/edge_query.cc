#include "cluster/part/edge_query.h"

#include <algorithm>
#include <utility>

namespace gls {

using What = EdgeQuestion::What;

Status EdgeQuery::ask(const EdgeQuestion& question) {
  question_ = question;
  const format::EdgeTypeT& type = *partition_.whole().edge_types[question.edge_type];
  const auto book_of = [&](const std::string& node_type) -> Result<const PartitionBook*> {
    GLS_ASSIGN(const size_t number, partition_.node_type_index(node_type.c_str()));
    return &partition_.node_book(number);
  };
  const auto halos = [&](Layout layout) { return local_halos(parts_, question.edge_type, layout); };
  const bool csc = type.csc != nullptr;
  switch (question.what) {
    case What::kDegrees: {
      const bool of_targets = question.layout == Layout::kCsc;
      if (of_targets ? !csc : type.csr == nullptr) {
        ask_everybody();  // each part counts its own edges
        return {};
      }
      GLS_ASSIGN(const PartitionBook* const book, book_of(of_targets ? type.target : type.source));
      return ask_owners(*book, question.ids, halos(question.layout));
    }
    case What::kPairs: {
      GLS_ASSIGN(const PartitionBook* const book, book_of(csc ? type.target : type.source));
      return ask_owners(*book, csc ? question.others : question.ids,
                        halos(csc ? Layout::kCsc : Layout::kCsr));
    }
    case What::kEnds:
      break;
  }
  if (const PartitionBook* const book = partition_.edge_book(question.edge_type)) {
    return ask_owners(*book, question.ids);
  }
  ask_everybody();  // only the part that stores an edge knows its ends
  return {};
}

void EdgeQuery::ask_everybody() {
  everybody_ = true;
  for (const auto& part : parts_) {
    asked_.push_back(part->ask_edges(question_));
  }
}

Status EdgeQuery::ask_owners(const PartitionBook& book, const IdSpan& anchors,
                             const SplitByOwner::Instead& instead) {
  GLS_ASSIGN(split_, SplitByOwner::split(book, anchors, instead));
  others_.resize(parts_.size());
  asked_.resize(parts_.size());
  const bool of_pairs = question_.what == What::kPairs;
  const bool by_others = of_pairs && anchors.data() == question_.others.data();
  for (size_t p = 0; p < parts_.size(); ++p) {
    const SplitByOwner::Share& share = split_.shares()[p];
    if (share.ids.empty()) {
      continue;
    }
    EdgeQuestion of = question_;
    of.ids = share.span();
    if (of_pairs) {
      const IdSpan& rest = by_others ? question_.ids : question_.others;
      for (const int64_t place : share.places) {
        others_[p].push_back(rest[place]);
      }
      const IdSpan taken(others_[p].data(), true, static_cast<int64_t>(others_[p].size()));
      of.ids = by_others ? taken : share.span();
      of.others = by_others ? share.span() : taken;
    }
    asked_[p] = parts_[p]->ask_edges(of);
  }
  return {};
}

Result<Tensor> EdgeQuery::take() {
  const auto count = static_cast<size_t>(question_.ids.size());
  const bool of_ends = question_.what == What::kEnds;
  auto out = std::make_shared<std::vector<int64_t>>(of_ends ? 2 * count : count,
                                                    of_ends ? int64_t{-1} : int64_t{0});
  for (size_t p = 0; p < asked_.size(); ++p) {
    if (!asked_[p]) {
      continue;
    }
    GLS_ASSIGN(const Tensor answer, asked_[p]());
    const auto* const numbers = answer.as<int64_t>();
    const size_t length = everybody_ ? count : split_.shares()[p].ids.size();
    for (size_t i = 0; i < length; ++i) {
      const size_t at = everybody_ ? i : static_cast<size_t>(split_.shares()[p].places[i]);
      if (!of_ends) {
        (*out)[at] += numbers[i];
      } else if (numbers[i] >= 0) {
        (*out)[at] = numbers[i];
        (*out)[count + at] = numbers[length + i];
      }
    }
  }
  if (const auto missing = std::find(out->begin(), out->end(), -1); missing != out->end()) {
    const auto at = static_cast<int64_t>(missing - out->begin()) % question_.ids.size();
    return corrupt("{}: no part has edge {} of \"{}\"", partition_.path(), question_.ids[at],
                   partition_.whole().edge_types[question_.edge_type]->relation);
  }
  const int64_t* const data = out->data();
  const auto size = static_cast<int64_t>(out->size());
  return Tensor(std::move(out), data, kInt64, {size});
}

}  // namespace gls
