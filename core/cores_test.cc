// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "core/cores.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <thread>

#include "testing/test_folder.h"

namespace detops {
namespace {

// A folder with the files of control groups.
class ControlGroups {
 public:
  void Write(const std::string& path, const std::string& content) const {
    std::filesystem::create_directories(std::filesystem::path(folder_ / path).parent_path());
    folder_.Write(path, content);
  }
  std::optional<int> Quota() const { return QuotaOfControlGroup(folder_ / ""); }

 private:
  const TestFolder folder_;
};

TEST(QuotaOfControlGroup, IsTheQuotientOfQuotaAndPeriodRoundedUp) {
  const ControlGroups groups;
  groups.Write("proc/self/cgroup", "0::/user/app\n");
  groups.Write("sys/fs/cgroup/user/app/cpu.max", "150000 100000\n");
  EXPECT_EQ(groups.Quota(), 2);
  groups.Write("sys/fs/cgroup/user/app/cpu.max", "50000 100000\n");
  EXPECT_EQ(groups.Quota(), 1);
  groups.Write("sys/fs/cgroup/user/app/cpu.max", "6400000 100000\n");
  EXPECT_EQ(groups.Quota(), 64);
}

TEST(QuotaOfControlGroup, TheSmallestOnTheWayToTheRootCounts) {
  const ControlGroups groups;
  groups.Write("proc/self/cgroup", "0::/pod/container\n");
  groups.Write("sys/fs/cgroup/pod/container/cpu.max", "max 100000\n");
  EXPECT_EQ(groups.Quota(), std::nullopt);
  groups.Write("sys/fs/cgroup/pod/cpu.max", "300000 100000\n");
  EXPECT_EQ(groups.Quota(), 3);
  groups.Write("sys/fs/cgroup/cpu.max", "200000 100000\n");
  EXPECT_EQ(groups.Quota(), 2) << "inside a container, the group may be mounted as the root";
}

TEST(QuotaOfControlGroup, ReadsVersion1) {
  const ControlGroups groups;
  groups.Write("proc/self/cgroup", "7:memory:/a\n4:cpu,cpuacct:/a\n1:name=systemd:/a\n");
  groups.Write("sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_quota_us", "-1\n");
  groups.Write("sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(groups.Quota(), std::nullopt);
  groups.Write("sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_quota_us", "250000\n");
  EXPECT_EQ(groups.Quota(), 3);
}

TEST(QuotaOfControlGroup, IgnoresWhatItCannotRead) {
  const ControlGroups groups;
  EXPECT_EQ(groups.Quota(), std::nullopt);
  groups.Write("proc/self/cgroup", "\n0:\nnonsense\n0::/a\n");
  EXPECT_EQ(groups.Quota(), std::nullopt);
  for (const char* const text :
       {"", "x y", "100000", "0 100000", "100000 0", "1e5 100000", "99999999999999999999 100000"}) {
    groups.Write("sys/fs/cgroup/a/cpu.max", text);
    EXPECT_EQ(groups.Quota(), std::nullopt) << text;
  }
}

TEST(AvailableCores, AreAtLeastOneAndAtMostThoseOfTheMachine) {
  EXPECT_GE(AvailableCores(), 1);
  EXPECT_LE(AvailableCores(), static_cast<int>(std::thread::hardware_concurrency()));
}

// A thread that a pinned thread starts would stay on the same core.
TEST(UseAllCores, EndsThePinningOfAThread) {
  std::thread thread([] {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
    UseAllCores();
    cpu_set_t mine;
    ASSERT_EQ(sched_getaffinity(0, sizeof(mine), &mine), 0);
    EXPECT_GE(CPU_COUNT(&mine), AvailableCores());
  });
  thread.join();
}

}  // namespace
}  // namespace detops
