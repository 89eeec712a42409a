#include "system/cgroup.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "context/settings.h"
#include "ingest_support.h"
#include "system/cpu.h"

namespace gls {
namespace {

using test::TempFolder;

// A machine: what it says of the groups of a process, and files of the groups.
class Machine {
 public:
  void file(const std::string& path, const std::string& text) const {
    const std::filesystem::path at = folder_.file(path);
    std::filesystem::create_directories(at.parent_path());
    std::ofstream(at) << text << "\n";
  }
  void groups(const std::string& text) const { file("proc/self/cgroup", text); }
  void mounts(const std::string& text) const {
    file("proc/self/mountinfo", "22 1 0:21 / /proc rw - proc proc rw\n" + text);
  }
  CgroupLimits limits() const { return cgroup_limits(folder_.file("")); }

 private:
  TempFolder folder_;
};

constexpr const char* kUnified =
    "30 24 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw";

TEST(Cgroup, NothingIsNoLimit) {
  const Machine machine;
  EXPECT_FALSE(machine.limits().cpus || machine.limits().memory);
  machine.groups("0::/");
  machine.mounts(kUnified);
  machine.file("sys/fs/cgroup/memory.max", "max");
  machine.file("sys/fs/cgroup/cpu.max", "max 100000");
  EXPECT_FALSE(machine.limits().cpus || machine.limits().memory);
  machine.file("sys/fs/cgroup/memory.max", "");
  machine.file("sys/fs/cgroup/cpu.max", "plenty of");
  EXPECT_FALSE(machine.limits().cpus || machine.limits().memory);
}

TEST(Cgroup, OfAContainerAreAtTheMount) {
  const Machine machine;
  machine.groups("0::/");
  machine.mounts(kUnified);
  machine.file("sys/fs/cgroup/memory.max", "1000000");
  machine.file("sys/fs/cgroup/cpu.max", "150000 100000");
  EXPECT_EQ(machine.limits().memory, 1000000u);
  EXPECT_EQ(machine.limits().cpus, 1.5);
}

// The step of a job: its own group has no limit, the job has, and the slice has another.
TEST(Cgroup, TheLeastOfAllGroupsAbove) {
  const Machine machine;
  const std::string slice = "sys/fs/cgroup/system.slice";
  const std::string job = slice + "/slurmstepd.scope/job_17";
  machine.groups("0::/system.slice/slurmstepd.scope/job_17/step_0/user/task_0");
  machine.mounts(kUnified);
  machine.file(job + "/step_0/user/task_0/memory.max", "max");
  machine.file(job + "/memory.max", "8000000");
  machine.file(job + "/cpu.max", "400000 100000");
  machine.file(slice + "/memory.max", "64000000");
  machine.file(slice + "/cpu.max", "250000 100000");
  EXPECT_EQ(machine.limits().memory, 8000000u);
  EXPECT_EQ(machine.limits().cpus, 2.5);
  machine.file(job + "/step_0/memory.high", "5000000");
  EXPECT_EQ(machine.limits().memory, 5000000u);
}

TEST(Cgroup, OfVersionOne) {
  const Machine machine;
  machine.groups(
      "11:cpu,cpuacct:/slurm/uid_7/job_17/step_0\n"
      "7:memory:/slurm/uid_7/job_17/step_0/task_0\n"
      "1:name=systemd:/system.slice\n"
      "0::/system.slice");
  machine.mounts(
      "33 32 0:29 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n"
      "36 32 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
      "37 32 0:33 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw");
  const std::string memory = "sys/fs/cgroup/memory/slurm/uid_7/job_17";
  machine.file(memory + "/step_0/memory.limit_in_bytes", "9223372036854771712");
  machine.file(memory + "/memory.limit_in_bytes", "7000000");
  machine.file("sys/fs/cgroup/cpu,cpuacct/slurm/uid_7/job_17/cpu.cfs_quota_us", "300000");
  machine.file("sys/fs/cgroup/cpu,cpuacct/slurm/uid_7/job_17/cpu.cfs_period_us", "100000");
  machine.file("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1");
  machine.file("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000");
  EXPECT_EQ(machine.limits().memory, 7000000u);
  EXPECT_EQ(machine.limits().cpus, 3);
}

// A container without a namespace of its own: the mount begins at its group.
TEST(Cgroup, MountsThatBeginAtAGroup) {
  const Machine machine;
  machine.groups("4:memory:/docker/abc/inner\n5:cpu:/docker/abc");
  machine.mounts(
      "36 32 0:32 /docker/abc /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
      "37 32 0:33 /docker/abc /sys/fs/cgroup/cpu\\040time rw - cgroup cgroup rw,cpu");
  machine.file("sys/fs/cgroup/memory/memory.limit_in_bytes", "5000");
  machine.file("sys/fs/cgroup/memory/inner/memory.limit_in_bytes", "4000");
  machine.file("sys/fs/cgroup/cpu time/cpu.cfs_quota_us", "50000");
  machine.file("sys/fs/cgroup/cpu time/cpu.cfs_period_us", "100000");
  EXPECT_EQ(machine.limits().memory, 4000u);
  EXPECT_EQ(machine.limits().cpus, 0.5);
}

// The group of the process is outside of its namespace, so only the mount is seen.
TEST(Cgroup, PathsOutOfTheNamespace) {
  const Machine machine;
  machine.groups("0::/../other/group");
  machine.mounts(kUnified);
  machine.file("sys/fs/cgroup/memory.max", "3000");
  machine.file("sys/fs/other/group/memory.max", "1");
  EXPECT_EQ(machine.limits().memory, 3000u);
}

TEST(Cgroup, FeedsWhatAProcessMayUse) {
  CgroupLimits limits;
  const unsigned all = usable_cores(limits);
  EXPECT_LE(all, std::thread::hardware_concurrency());
  limits.cpus = 0.25;
  EXPECT_EQ(usable_cores(limits), 1u);
  limits.cpus = 1e6;
  EXPECT_EQ(usable_cores(limits), all);
  const uint64_t memory = usable_memory(CgroupLimits());
  limits.memory = memory / 2;
  EXPECT_EQ(usable_memory(limits), memory / 2);
  limits.memory = memory * 2;
  EXPECT_EQ(usable_memory(limits), memory);
}

TEST(Cgroup, LimitsOfTheProcessCount) {
  const pid_t child = fork();
  if (child == 0) {
    struct rlimit limit = {uint64_t{3} << 30, uint64_t{3} << 30};
    const bool ok =
        setrlimit(RLIMIT_AS, &limit) == 0 && usable_memory(CgroupLimits()) == uint64_t{3} << 30;
    limit.rlim_cur = uint64_t{1} << 30;
    _exit(ok && setrlimit(RLIMIT_DATA, &limit) == 0 &&
                  usable_memory(CgroupLimits()) == uint64_t{1} << 30
              ? 0
              : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST(Cgroup, BoundsDefaultsOfSettings) {
  const uint64_t memory = uint64_t{256} << 20;
  Settings small = Settings::from_environment(memory).take();
  EXPECT_EQ(small.bytes(Setting::kMemoryPool), memory / 4);
  EXPECT_EQ(small.bytes(Setting::kClusterBatchMemory), memory / 4);
  EXPECT_EQ(small.bytes(Setting::kSampleWeightTables), memory / 2);
  EXPECT_EQ(small.bytes(Setting::kSampleDirectTable), memory / 16);
  EXPECT_EQ(*small.get("memory.pool"), "2G");
  EXPECT_TRUE(small.set("memory.pool", "2G").ok());
  EXPECT_EQ(small.bytes(Setting::kMemoryPool), uint64_t{2} << 30);
  Settings large = Settings::from_environment(uint64_t{1} << 40).take();
  EXPECT_EQ(large.bytes(Setting::kMemoryPool), uint64_t{2} << 30);
  setenv("GLS_MEMORY_POOL", "1G", 1);
  EXPECT_EQ(Settings::from_environment(memory)->bytes(Setting::kMemoryPool), uint64_t{1} << 30);
  unsetenv("GLS_MEMORY_POOL");
}

}  // namespace
}  // namespace gls
