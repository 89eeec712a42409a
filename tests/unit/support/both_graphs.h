// A graph, and the same one opened as a folder of parts.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>

#include "cluster/part/partitioned_dataset.h"
#include "part_graph.h"

namespace gls::test {

struct Both {
  explicit Both(size_t parts) : context(make_context(2)) {
    whole = whole_with_features(context);
    cut_graph(*whole, parts, folder.file("parts"));
    auto opened = open_whole(context, folder.file("parts"), {});
    EXPECT_TRUE(opened.ok()) << opened.status().message();
    in_parts = opened.ok() ? opened.take() : nullptr;
  }
  // Made once for each number of parts.
  static const Both& of(size_t parts) {
    static std::map<size_t, std::unique_ptr<Both>> made;
    std::unique_ptr<Both>& out = made[parts];
    if (out == nullptr) {
      out = std::make_unique<Both>(parts);
    }
    return *out;
  }

  const TempFolder folder;
  const std::shared_ptr<Context> context;
  std::shared_ptr<const Dataset> whole;
  std::shared_ptr<const Dataset> in_parts;
};

}  // namespace gls::test
