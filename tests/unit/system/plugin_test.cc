#include "system/plugin.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "test_paths.h"

namespace gls {
namespace {

TEST(Plugin, MissingOneSaysWhereItWasLookedFor) {
  const std::string folder = testing::TempDir() + "gls_no_plugins";
  setenv("GLS_PLUGIN_PATH", (folder + ":").c_str(), 1);
  Result<const PluginHeader*> plugin = load_plugin("of_nobody", 1);
  ASSERT_FALSE(plugin.ok());
  EXPECT_EQ(plugin.status().code(), GLS_ERR_UNSUPPORTED);
  const std::string& text = plugin.status().message();
  EXPECT_NE(text.find("libgls_of_nobody.so was not found in " + folder + ", /"), std::string::npos)
      << text;
  EXPECT_EQ(*plugin.status().detail("plugin"), "of_nobody");
}

TEST(Plugin, WhatIsNoPluginIsRefused) {
  const std::string folder = testing::TempDir() + "gls_bad_plugins";
  std::filesystem::create_directories(folder);
  std::ofstream(folder + "/libgls_text.so") << "no library";
  setenv("GLS_PLUGIN_PATH", folder.c_str(), 1);
  Result<const PluginHeader*> text = load_plugin("text", 1);
  ASSERT_FALSE(text.ok());
  EXPECT_NE(text.status().message().find("libgls_text.so cannot be loaded"), std::string::npos);

  // Any library that has no such symbol.
  std::filesystem::copy_file(test::kLibrary, folder + "/libgls_other.so",
                             std::filesystem::copy_options::overwrite_existing);
  Result<const PluginHeader*> other = load_plugin("other", 1);
  ASSERT_FALSE(other.ok());
  EXPECT_NE(other.status().message().find("is no plugin of GLS"), std::string::npos);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace gls
