// Lists of hosts, and what launchers say.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "cluster/group/launcher.h"
#include "cluster/group/slurm_host_list.h"

namespace gls::group {
namespace {

using Variables = std::map<std::string, std::string>;

Environment environment_of(const Variables& variables) {
  return [variables](const char* name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    return found != variables.end() ? std::optional(found->second) : std::nullopt;
  };
}

Result<Place> place_of(const Variables& variables, LauncherRequest wish = {}) {
  wish.group = wish.group.empty() ? "gls" : wish.group;
  return find_place(wish, environment_of(variables));
}

uint32_t port_of(const std::string& address) {
  return static_cast<uint32_t>(std::stoul(address.substr(address.rfind(':') + 1)));
}

// ---- lists of hosts ----

TEST(HostList, IsWrittenInFull) {
  using Hosts = std::vector<std::string>;
  const std::vector<std::pair<std::string, Hosts>> cases = {
      {"node1", {"node1"}},
      {"node[01-03,7],gpu-a[1-2]", {"node01", "node02", "node03", "node7", "gpu-a1", "gpu-a2"}},
      {"a,b.c.example,c-1", {"a", "b.c.example", "c-1"}},
      {"n[8-11]", {"n8", "n9", "n10", "n11"}},
      {"n[008-011]x", {"n008x", "n009x", "n010x", "n011x"}},
      {"r[1-2]n[1,3]", {"r1n1", "r1n3", "r2n1", "r2n3"}},
      {"n[5]", {"n5"}},
      {"10.0.0.[1-2]", {"10.0.0.1", "10.0.0.2"}},
  };
  for (const auto& [text, expected] : cases) {
    auto hosts = parse_host_list(text);
    ASSERT_TRUE(hosts.ok()) << text << ": " << hosts.status().message();
    EXPECT_EQ(*hosts, expected) << text;
  }
}

TEST(HostList, RefusesWhatIsNone) {
  for (const char* const text :
       {"", ",", "a,,b", "a,", "n[1-3", "n1-3]", "n[]", "n[3-1]", "n[a-b]", "n[1--3]", "n[1,]",
        "n[1-99999999]", "n[99999999999999999999]", "a b", "n[[1]]", "n[0-9999][0-9999]"}) {
    auto hosts = parse_host_list(text);
    EXPECT_FALSE(hosts.ok()) << text;
    EXPECT_EQ(hosts.status().code(), GLS_ERR_INVALID_ARGUMENT) << text;
  }
}

// ---- launchers ----

TEST(Launcher, Torchrun) {
  const Variables variables = {{"RANK", "3"},
                               {"WORLD_SIZE", "8"},
                               {"LOCAL_RANK", "1"},
                               {"LOCAL_WORLD_SIZE", "4"},
                               {"MASTER_ADDR", "10.0.0.1"},
                               {"MASTER_PORT", "29500"}};
  auto place = place_of(variables);
  ASSERT_TRUE(place.ok()) << place.status().message();
  EXPECT_EQ(place->launcher, Launcher::kTorchrun);
  EXPECT_EQ(place->rank, 3U);
  EXPECT_EQ(place->world_size, 8U);
  EXPECT_EQ(place->local_rank, 1U);
  EXPECT_EQ(place->local_size, 4U);
  EXPECT_EQ(place->rendezvous.substr(0, 9), "10.0.0.1:");
  EXPECT_GE(port_of(place->rendezvous), 16384U);
  EXPECT_LT(port_of(place->rendezvous), 32768U);
  // The same for all, and another one for another group or job.
  Variables other = variables;
  other["RANK"] = "0";
  EXPECT_EQ(place_of(other)->rendezvous, place->rendezvous);
  LauncherRequest wish;
  wish.group = "another";
  EXPECT_NE(place_of(variables, wish)->rendezvous, place->rendezvous);
  other["MASTER_PORT"] = "29501";
  EXPECT_NE(place_of(other)->rendezvous, place->rendezvous);
  other["GLS_MASTER_PORT"] = "4711";
  other["GLS_MASTER_ADDR"] = "fe80::1";
  EXPECT_EQ(place_of(other)->rendezvous, "[fe80::1]:4711");
  wish.rendezvous = "here:1";
  EXPECT_EQ(place_of(other, wish)->rendezvous, "here:1");
}

TEST(Launcher, Slurm) {
  const Variables variables = {{"SLURM_PROCID", "5"},
                               {"SLURM_STEP_NUM_TASKS", "6"},
                               {"SLURM_NTASKS", "12"},
                               {"SLURM_LOCALID", "1"},
                               {"SLURM_JOB_ID", "77"},
                               {"SLURM_STEP_ID", "0"},
                               {"SLURM_STEP_NODELIST", "node[07-09]"}};
  auto place = place_of(variables);
  ASSERT_TRUE(place.ok()) << place.status().message();
  EXPECT_EQ(place->launcher, Launcher::kSlurm);
  EXPECT_EQ(place->rank, 5U);
  EXPECT_EQ(place->world_size, 6U);
  EXPECT_EQ(place->local_rank, 1U);
  EXPECT_EQ(place->rendezvous.substr(0, 7), "node07:");
  // The shell of a job is no task of it.
  auto shell = place_of({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "12"}});
  ASSERT_TRUE(shell.ok()) << shell.status().message();
  EXPECT_EQ(shell->world_size, 1U);
  EXPECT_EQ(shell->launcher, Launcher::kAuto);
  Variables broken = variables;
  broken["SLURM_STEP_NODELIST"] = "node[07-";
  EXPECT_EQ(*place_of(broken).status().detail("argument"), "SLURM_STEP_NODELIST");
}

TEST(Launcher, OpenMpiAndPmix) {
  Variables mpi = {{"OMPI_COMM_WORLD_RANK", "1"},
                   {"OMPI_COMM_WORLD_SIZE", "2"},
                   {"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
                   {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"},
                   {"PMIX_NAMESPACE", "prterun-1"}};
  auto place = place_of(mpi);
  ASSERT_TRUE(place.ok()) << place.status().message();
  EXPECT_EQ(place->launcher, Launcher::kOpenMpi);
  EXPECT_EQ(place->rendezvous.substr(0, 10), "127.0.0.1:");
  mpi["OMPI_COMM_WORLD_LOCAL_SIZE"] = "1";  // on two hosts: nobody says where rank 0 is
  auto missing = place_of(mpi);
  EXPECT_EQ(missing.status().code(), GLS_ERR_NOT_FOUND);
  EXPECT_NE(missing.status().message().find("GLS_MASTER_ADDR"), std::string::npos);
  LauncherRequest exchanges;
  exchanges.finds_rank_0 = false;
  EXPECT_TRUE(place_of(mpi, exchanges).ok());
  mpi["GLS_MASTER_ADDR"] = "head";
  EXPECT_EQ(place_of(mpi)->rendezvous.substr(0, 5), "head:");

  auto sizeless = place_of({{"PMIX_RANK", "1"}});
  EXPECT_EQ(sizeless.status().code(), GLS_ERR_NOT_FOUND);
  EXPECT_EQ(*sizeless.status().detail("argument"), "GLS_WORLD_SIZE");
  auto pmix = place_of({{"PMIX_RANK", "1"}, {"GLS_WORLD_SIZE", "3"}, {"GLS_MASTER_ADDR", "h"}});
  ASSERT_TRUE(pmix.ok()) << pmix.status().message();
  EXPECT_EQ(pmix->launcher, Launcher::kPmix);
  EXPECT_EQ(pmix->world_size, 3U);
  auto hydra = place_of({{"PMI_RANK", "1"}, {"PMI_SIZE", "2"}, {"MPI_LOCALNRANKS", "2"}});
  ASSERT_TRUE(hydra.ok()) << hydra.status().message();
  EXPECT_EQ(hydra->rank, 1U);
}

TEST(Launcher, ArgumentsGoFirstAndNobodyIsAlone) {
  LauncherRequest wish;
  wish.rank = 1;
  wish.world_size = 4;
  wish.rendezvous = "127.0.0.1:4711";
  auto place = place_of({{"RANK", "0"}, {"WORLD_SIZE", "2"}}, wish);
  ASSERT_TRUE(place.ok()) << place.status().message();
  EXPECT_EQ(place->launcher, Launcher::kArguments);
  EXPECT_EQ(place->rank, 1U);
  EXPECT_EQ(place->world_size, 4U);
  wish.rendezvous.clear();
  EXPECT_EQ(place_of({}, wish).status().code(), GLS_ERR_NOT_FOUND);
  auto alone = place_of({});
  ASSERT_TRUE(alone.ok());
  EXPECT_EQ(alone->world_size, 1U);
  EXPECT_EQ(alone->launcher, Launcher::kAuto);
}

TEST(Launcher, ErrorsNameTheVariable) {
  const auto named = [](const Variables& variables, LauncherRequest wish = {}) {
    auto place = place_of(variables, wish);
    EXPECT_FALSE(place.ok());
    const std::string* const argument = place.status().detail("argument");
    return argument != nullptr ? *argument : std::string();
  };
  EXPECT_EQ(named({{"RANK", "2"}, {"WORLD_SIZE", "2"}}), "RANK");
  EXPECT_EQ(named({{"RANK", "x"}, {"WORLD_SIZE", "2"}}), "RANK");
  EXPECT_EQ(named({{"RANK", "0"}, {"WORLD_SIZE", "0"}}), "WORLD_SIZE");
  LauncherRequest wish;
  wish.launcher = Launcher::kTorchrun;
  EXPECT_EQ(named({{"RANK", "0"}}, wish), "WORLD_SIZE");
  wish.launcher = Launcher::kArguments;
  EXPECT_EQ(named({}, wish), "world_size");
  wish.world_size = 2;
  wish.rank = 2;
  EXPECT_EQ(named({}, wish), "rank");
  wish = {};
  wish.rank = 1;
  EXPECT_EQ(named({}, wish), "rank");
  wish.launcher = Launcher::kSlurm;
  wish.world_size = 2;
  EXPECT_EQ(named({}, wish), "world_size");
}

}  // namespace
}  // namespace gls::group
