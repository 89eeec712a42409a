// Writing that is stopped, killed or refused by the system leaves nothing that opens.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ingest_support.h"

namespace gls {
namespace {

using namespace test;

constexpr size_t kEdges = 400'000;

// Enough of everything for all stages to take place: text, original ids, columns, spilling.
void fill(Builder& builder, const TempFolder& inputs) {
  if (!std::filesystem::exists(inputs.file("edges"))) {
    std::string text;
    for (int i = 0; i < 20'000; ++i) {
      text += formatted("u{},i{},{}\n", i * 7919 % 5000, i * 104729 % 3000, i);
    }
    inputs.write("edges", text);
  }
  const EdgeList edges = random_edges(kEdges, 3000, 3000, 1);
  NodeTypeOptions strings;
  strings.ids = NodeIds::kString;
  EXPECT_OK(builder.add_node_type("user", strings));
  EXPECT_OK(builder.add_node_type("item", strings));
  TextOptions text;
  text.header = Header::kNo;
  text.add_reverse = true;
  text.columns.push_back({"#2", "t", kInt64, GLS_ROLE_TIME});
  EXPECT_OK(builder.add_edges_text("user__buys__item", inputs.file("edges"), text));
  EXPECT_OK(builder.add_edges("n__e__n", ids64(edges.source), ids64(edges.target), false));
  EXPECT_OK(builder.add_node_column("n", "x", GLS_ROLE_FEATURE,
                                    tensor(std::vector<float>(3000 * 20), kFloat32, {3000, 20})));
  EXPECT_OK(builder.add_id_set("n", "train", ids64({1, 2, 3})));
}

BuildOptions little_memory() {
  BuildOptions options = both_layouts();
  options.memory = uint64_t{16} << 20;
  return options;
}

// Writes in a child process under `limits`, and returns how it ended: 0 is success, 1 to 99 the
// negated error, above 128 a signal. `message` is what the error said.
struct Ending {
  int code = 0;
  std::string message;
};
template <typename Body>
Ending in_child(const Body& body) {
  int pipe_ends[2];
  EXPECT_EQ(pipe(pipe_ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    close(pipe_ends[0]);
    const Status status = body();
    const std::string& message = status.message();
    const ssize_t written = write(pipe_ends[1], message.data(), message.size());
    _exit(status.ok() ? 0 : written < 0 ? 99 : -status.code());
  }
  close(pipe_ends[1]);
  Ending ending;
  char buffer[4096];
  for (ssize_t got = 0; (got = read(pipe_ends[0], buffer, sizeof buffer)) > 0;) {
    ending.message.append(buffer, static_cast<size_t>(got));
  }
  close(pipe_ends[0]);
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  ending.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return ending;
}

Status write_to(const std::string& path, const TempFolder& inputs, const Progress& progress) {
  Builder builder(context_of(2));
  fill(builder, inputs);
  BuildOptions options = little_memory();
  options.progress = progress;
  return builder.write(path, options);
}

TEST(Faults, CancellingLeavesNothingBehind) {
  const TempFolder inputs;
  const TempFolder folder;
  std::vector<std::string> stages;
  Builder builder(context_of());
  fill(builder, inputs);
  // Stop at the first report, the second and so on, in ever larger steps.
  int calls = 0;
  for (int stop_at = 1;; stop_at += 1 + stop_at / 4) {
    calls = 0;
    BuildOptions options = little_memory();
    options.progress = [&](const char* stage, uint64_t done, uint64_t total, const char*) {
      if (stages.empty() || stages.back() != stage) {
        stages.emplace_back(stage);
      }
      EXPECT_TRUE(total == 0 || done <= total) << stage << " " << done << " of " << total;
      return ++calls < stop_at;
    };
    const Status status = builder.write(folder.file("dataset"), options);
    if (status.ok()) {
      break;
    }
    ASSERT_EQ(status.code(), GLS_ERR_CANCELED) << status.message();
    ASSERT_TRUE(folder.names().empty()) << stop_at;
  }
  EXPECT_GT(calls, 20);
  for (const char* stage : {"reading edges", "numbering nodes", "checking ids", "counting edges",
                            "sorting edges", "writing edges", "writing columns"}) {
    EXPECT_NE(std::find(stages.begin(), stages.end(), stage), stages.end()) << stage;
  }
  EXPECT_EQ(folder.names(), std::vector<std::string>{"dataset"});
}

TEST(Faults, CancellingABuildOrASaveOrAVerification) {
  const auto context = context_of();
  const TempFolder folder;
  const TempFolder inputs;
  const auto stop_at_once = [](const char*, uint64_t, uint64_t, const char*) { return false; };
  Builder builder(context);
  fill(builder, inputs);
  BuildOptions options = both_layouts();
  options.progress = stop_at_once;
  EXPECT_EQ(builder.build(options).status().code(), GLS_ERR_CANCELED);
  auto built = builder.build(both_layouts());
  ASSERT_TRUE(built.ok()) << built.status().message();
  EXPECT_EQ(verify_dataset(**built, stop_at_once).code(), GLS_ERR_CANCELED);
  SaveOptions save;
  save.progress = stop_at_once;
  EXPECT_EQ(save_dataset(**built, folder.file("d"), save).code(), GLS_ERR_CANCELED);
  EXPECT_TRUE(folder.names().empty());
}

TEST(Faults, OnlyDatasetsAreOverwritten) {
  const TempFolder folder;
  const auto make = [&] {
    Builder builder(context_of());
    NodeTypeOptions options;
    options.num_nodes = 1;
    EXPECT_OK(builder.add_node_type("n", options));
    BuildOptions build;
    build.overwrite = true;
    return builder.write(folder.file("d"), build);
  };
  std::filesystem::create_directory(folder.file("d"));
  EXPECT_EQ(make().code(), GLS_ERR_ALREADY_EXISTS);
  for (const char* other :
       {"", "{}", "[]", "{\"format\": 1}", "{\"a\": {\"format\": \"gls-dataset\"}}"}) {
    folder.write("d/manifest.json", other);
    const Status status = make();
    EXPECT_EQ(status.code(), GLS_ERR_ALREADY_EXISTS) << other;
    EXPECT_MESSAGE(status, "is no dataset");
    EXPECT_EQ(read_file(folder.file("d/manifest.json")), other);
  }
  // That of a newer library too.
  folder.write("d/manifest.json", "{\"format\": \"gls-dataset\", \"more\": [{}]}");
  EXPECT_OK(make());
}

TEST(Faults, AGraphLargerThanTheDiskIsRefusedAtOnce) {
  const TempFolder folder;
  Builder builder(context_of());
  NodeTypeOptions declared;
  declared.num_nodes = (int64_t{1} << 46) - 1;
  EXPECT_OK(builder.add_node_type("n", declared));
  EXPECT_OK(builder.add_edges("n__e__n", ids64({0}), ids64({(int64_t{1} << 46) - 2}), false));
  const Status status = builder.write(folder.file("d"), {});
  EXPECT_EQ(status.code(), GLS_ERR_IO);
  EXPECT_MESSAGE(status, "takes at least 562950.0 GB");
  EXPECT_MESSAGE(status, "GB left");
  EXPECT_TRUE(folder.names().empty());
}

TEST(Faults, ExistingFoldersAreKeptUnlessOverwritten) {
  const auto context = context_of();
  const TempFolder folder;
  const auto make = [&](int64_t nodes, bool overwrite) {
    Builder builder(context);
    NodeTypeOptions options;
    options.num_nodes = nodes;
    EXPECT_OK(builder.add_node_type("n", options));
    BuildOptions build;
    build.overwrite = overwrite;
    return builder.write(folder.file("d"), build);
  };
  const auto count = [&] {
    auto dataset = open_dataset(context, folder.file("d"), {});
    return dataset.ok() ? (*dataset)->node_types()[0].count : -1;
  };
  EXPECT_OK(make(1, false));
  const Status status = make(2, false);
  EXPECT_EQ(status.code(), GLS_ERR_ALREADY_EXISTS);
  EXPECT_EQ(*status.detail("file"), folder.file("d"));
  EXPECT_EQ(count(), 1);
  auto open_before = open_dataset(context, folder.file("d"), {});
  EXPECT_OK(make(3, true));
  EXPECT_EQ(count(), 3);
  EXPECT_EQ((*open_before)->node_types()[0].count, 1);  // what was open stays as it was
  EXPECT_EQ(folder.names(), std::vector<std::string>{"d"});
  EXPECT_OK(make(4, true));
  EXPECT_EQ(count(), 4);
}

TEST(Faults, AFailedOverwriteKeepsTheOldDataset) {
  const TempFolder inputs;
  const TempFolder folder;
  EXPECT_OK(write_to(folder.file("d"), inputs, {}));
  const auto before = folder_bytes(folder.file("d"));
  Builder builder(context_of());
  fill(builder, inputs);
  EXPECT_OK(builder.add_id_set("n", "bad", ids64({9999})));
  BuildOptions options = little_memory();
  options.overwrite = true;
  EXPECT_EQ(builder.write(folder.file("d"), options).code(), GLS_ERR_INVALID_ARGUMENT);
  EXPECT_TRUE(folder_bytes(folder.file("d")) == before);
  EXPECT_EQ(folder.names(), std::vector<std::string>{"d"});
}

// Killed at any moment, a writer leaves no folder of the name asked for. (What it does leave has
// another name, which no one asks for.)
TEST(Faults, AKilledWriterLeavesNothingThatOpens) {
  const TempFolder inputs;
  {
    Builder builder(context_of());
    fill(builder, inputs);  // writes the input files
  }
  bool finished = false;
  int kills = 0;
  for (int kill_at = 1; !finished; kill_at += 1 + kill_at / 2) {
    const TempFolder folder;
    const std::string path = folder.file("dataset");
    const Ending ending = in_child([&] {
      int calls = 0;
      return write_to(path, inputs, [&](const char*, uint64_t, uint64_t, const char*) {
        if (++calls == kill_at) {
          kill(getpid(), SIGKILL);
        }
        return true;
      });
    });
    finished = ending.code == 0;
    const auto context = context_of();
    auto opened = open_dataset(context, path, {});
    if (finished) {
      ASSERT_TRUE(opened.ok()) << opened.status().message();
      EXPECT_OK(verify_dataset(**opened, {}));
      continue;
    }
    ++kills;
    ASSERT_EQ(ending.code, 128 + SIGKILL) << ending.message;
    ASSERT_FALSE(opened.ok());
    EXPECT_EQ(opened.status().code(), GLS_ERR_NOT_FOUND);
    for (const std::string& name : folder.names()) {
      EXPECT_FALSE(open_dataset(context, folder.file(name), {}).ok()) << name;
    }
    // What is left does not stand in the way of another try.
    Builder again(context);
    NodeTypeOptions nodes;
    nodes.num_nodes = 1;
    EXPECT_OK(again.add_node_type("n", nodes));
    EXPECT_OK(again.write(path, {}));
  }
  EXPECT_GT(kills, 5);
}

// ---- disks that fill up ----

// Writes with files limited to `bytes`, which fails like a full disk does: at some write.
Ending write_with_file_limit(const TempFolder& folder, const TempFolder& inputs, rlim_t bytes) {
  return in_child([&] {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit limit = {bytes, bytes};
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0) {
      return error(GLS_ERR_INTERNAL, "setrlimit failed");
    }
    return write_to(folder.file("dataset"), inputs, {});
  });
}

TEST(Faults, WritesThatFailNameTheFile) {
  const TempFolder inputs;
  {
    Builder builder(context_of());
    fill(builder, inputs);
  }
  for (const rlim_t bytes :
       {rlim_t{0}, rlim_t{100}, rlim_t{20'000}, rlim_t{200'000}, rlim_t{1'500'000}}) {
    const TempFolder folder;
    const Ending ending = write_with_file_limit(folder, inputs, bytes);
    EXPECT_EQ(ending.code, -GLS_ERR_IO) << bytes << ": " << ending.message;
    EXPECT_TRUE(contains(ending.message, "cannot write " + folder.file("dataset")))
        << ending.message;
    EXPECT_TRUE(folder.names().empty());
  }
}

TEST(Faults, AFullDiskIsAnError) {
  const TempFolder inputs;
  {
    Builder builder(context_of());
    fill(builder, inputs);
  }
  const TempFolder disk;
  for (const char* size : {"size=64k", "size=600k", "size=3m", "size=7m"}) {
    if (mount("tmpfs", disk.path().c_str(), "tmpfs", 0, size) != 0) {
      GTEST_SKIP() << "not allowed to mount a small disk; the limit on files above has to do";
    }
    const Ending ending = in_child([&] { return write_to(disk.file("sub/dataset"), inputs, {}); });
    EXPECT_EQ(ending.code, -GLS_ERR_IO) << size << ": " << ending.message;
    EXPECT_TRUE(contains(ending.message, disk.file("sub/dataset"))) << ending.message;
    EXPECT_TRUE(contains(ending.message, "No space left") ||
                contains(ending.message, "the dataset takes at least"))
        << ending.message;
    EXPECT_TRUE(std::filesystem::is_empty(disk.file("sub")));
    EXPECT_EQ(umount(disk.path().c_str()), 0);
  }
}

// Who may read everything reads as somebody else, in a child process.
TEST(Faults, UnreadableFilesAreErrors) {
  const TempFolder folder;
  Builder builder(context_of());
  fill(builder, folder);
  EXPECT_OK(builder.write(folder.file("d"), both_layouts()));
  ASSERT_EQ(chmod(folder.path().c_str(), 0755), 0);
  const auto as_somebody = [](const auto& body) {
    return in_child([&] {
      if (geteuid() == 0 && seteuid(65534) != 0) {
        return error(GLS_ERR_INTERNAL, "cannot become somebody else");
      }
      return body();
    });
  };
  const auto open = [&] {
    return as_somebody([&] {
      Result<std::shared_ptr<const Dataset>> opened =
          open_dataset(context_of(), folder.file("d"), {});
      return opened.ok() ? Status() : std::move(opened.status());
    });
  };
  EXPECT_EQ(open().code, 0);
  for (const char* name : {"d/manifest.json", "d/nodes/n/columns/x.npy"}) {
    ASSERT_EQ(chmod(folder.file(name).c_str(), 0), 0) << name;
    const Ending ending = open();
    EXPECT_EQ(ending.code, -GLS_ERR_IO) << ending.message;
    EXPECT_TRUE(contains(ending.message, folder.file(name))) << ending.message;
    EXPECT_TRUE(contains(ending.message, "Permission denied")) << ending.message;
    ASSERT_EQ(chmod(folder.file(name).c_str(), 0644), 0);
  }
  ASSERT_EQ(chmod(folder.file("edges").c_str(), 0), 0);
  const Ending ending = as_somebody([&] {
    Builder text(context_of());
    Status status = text.add_edges_text("a__e__a", folder.file("edges"), {});
    if (status.ok()) {
      Result<std::shared_ptr<const Dataset>> built = text.build({});
      status = built.ok() ? Status() : std::move(built.status());
    }
    return status;
  });
  EXPECT_EQ(ending.code, -GLS_ERR_IO) << ending.message;
  EXPECT_TRUE(contains(ending.message, folder.file("edges"))) << ending.message;
}

TEST(Faults, PlacesThatCannotBeWrittenAreErrors) {
  const TempFolder folder;
  folder.write("file", "x");
  Builder builder(context_of());
  EXPECT_OK(builder.add_node_type("n", {}));
  EXPECT_EQ(builder.write(folder.file("file"), {}).code(), GLS_ERR_ALREADY_EXISTS);
  EXPECT_EQ(builder.write(folder.file("file/d"), {}).code(), GLS_ERR_IO);
  EXPECT_EQ(builder.write("", {}).code(), GLS_ERR_INVALID_ARGUMENT);
  EXPECT_OK(builder.write(folder.file("new/deeper/d/"), {}));
  EXPECT_TRUE(open_dataset(context_of(), folder.file("new/deeper/d"), {}).ok());
}

}  // namespace
}  // namespace gls
