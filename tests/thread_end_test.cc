// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// C++ functions without a context, called while a thread or the process ends: from destructors of
// thread_local and static objects that run after everything else of the thread is gone.

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <thread>
#include <vector>

#include "detops/detops.hpp"

namespace detops {
namespace {

// Returns whether a call with the thread's context gives the right result, and one that fails
// reports its error.
bool CallsWork() {
  const std::vector<float> boxes = {0, 0, 10, 10, 1, 1, 11, 11, 20, 20, 30, 30};
  const std::vector<float> scores = {0.7f, 0.9f, 0.8f};
  NmsOptions options;
  options.iou_threshold = 0.5f;
  const SuppressionResult kept = Nms({boxes.data(), {3, 4}}, {scores.data(), {3}}, options);
  if (kept.indices != std::vector<int32_t>{1, 2}) {
    return false;
  }
  try {
    options.iou_threshold = -1;
    Nms({boxes.data(), {3, 4}}, {scores.data(), {3}}, options);
  } catch (const Error&) {
    return detopsGetLastError()[0] != '\0';
  }
  return false;
}

struct CallsWhenDestroyed {
  bool* works = nullptr;
  ~CallsWhenDestroyed() {
    if (works != nullptr) {
      *works = CallsWork();
    }
  }
};

TEST(ThreadEnd, DestructorsOfThreadLocalObjectsMayCall) {
  bool works = false;
  std::thread thread([&] {
    // Constructed before the thread's context, so destroyed after it if that were thread_local.
    thread_local CallsWhenDestroyed late;
    late.works = &works;
    EXPECT_TRUE(CallsWork());
  });
  thread.join();
  EXPECT_TRUE(works);
}

// The thread's first call is the one in the destructor.
TEST(ThreadEnd, TheFirstCallMayComeFromADestructor) {
  bool works = false;
  std::thread thread([&] {
    thread_local CallsWhenDestroyed late;
    late.works = &works;
  });
  thread.join();
  EXPECT_TRUE(works);
}

// In a child that ends by exit(). Its status is that of the last destructor.
TEST(ThreadEnd, DestructorsOfStaticObjectsMayCall) {
  const pid_t child = fork();
  if (child == 0) {
    static struct ExitsWhenDestroyed {
      ~ExitsWhenDestroyed() { _exit(CallsWork() ? 42 : 1); }
    } late;
    exit(CallsWork() ? 0 : 2);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 42);
}

}  // namespace
}  // namespace detops
