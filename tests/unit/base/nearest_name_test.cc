#include "base/nearest_name.h"

#include <gtest/gtest.h>

namespace gls {
namespace {

using Names = std::vector<std::string>;

TEST(NearestName, IsTheOneWithFewestChanges) {
  const Names options = {"--edges", "--edge-column", "--nodes", "--node-column", "--header"};
  EXPECT_EQ(nearest_name("--egdes", options), "--edges");
  EXPECT_EQ(nearest_name("--node_column", options), "--node-column");
  EXPECT_EQ(nearest_name("--Header", options), "--header");
  EXPECT_EQ(nearest_name("--headre", options), "--header");
  EXPECT_EQ(nearest_name("--features", options), "");
  EXPECT_EQ(nearest_name("papre", {"paper", "papers"}), "paper");
  EXPECT_EQ(nearest_name("", {"a"}), "");
  EXPECT_EQ(nearest_name("a", {}), "");
}

TEST(NearestName, ShortOrNumberedNamesAreNotMisspelt) {
  EXPECT_EQ(nearest_name("a", {"b"}), "");
  EXPECT_EQ(nearest_name("ab", {"ac"}), "");
  EXPECT_EQ(nearest_name("a", {"A"}), "A");
  EXPECT_EQ(nearest_name("type1", {"type2", "type12"}), "");
  EXPECT_EQ(nearest_name("tpye1", {"type1"}), "type1");
}

TEST(NearestName, MayBeABeginningWhereThatIsAskedFor) {
  EXPECT_EQ(nearest_name("user", {"user_group"}), "");
  EXPECT_EQ(nearest_name("user", {"user_group"}, true), "user_group");
  EXPECT_EQ(nearest_name("training", {"train"}, true), "train");
  EXPECT_EQ(nearest_name("use", {"user_group"}, true), "");
  EXPECT_EQ(did_you_mean("training", {"train"}), "; did you mean \"train\"?");
  EXPECT_EQ(did_you_mean("colour", {"threads"}), "");
}

}  // namespace
}  // namespace gls
