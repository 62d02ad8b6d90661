// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "core/log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "testing/log_capture.h"

namespace detops {
namespace {

using testing::ElementsAre;

TEST(Log, DefaultIsOneErrorLineOnStderr) {
  testing::internal::CaptureStderr();
  mluOpDestroy(nullptr);
  Log(DETOPS_LOG_INFO, "information");
  Log(DETOPS_LOG_DEBUG, "detail");
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "detops error: mluOpDestroy: handle is NULL; it must be a valid pointer\n");
}

TEST(Log, LevelDecidesWhatIsLogged) {
  struct Expectation {
    detopsLogLevel_t level;
    size_t lines;
  };
  for (const Expectation& expected :
       {Expectation{DETOPS_LOG_OFF, 0}, Expectation{DETOPS_LOG_ERROR, 1},
        Expectation{DETOPS_LOG_INFO, 2}, Expectation{DETOPS_LOG_DEBUG, 3}}) {
    LogCapture log(expected.level);
    EXPECT_EQ(LogEnabled(DETOPS_LOG_ERROR), expected.level >= DETOPS_LOG_ERROR);
    EXPECT_EQ(LogEnabled(DETOPS_LOG_DEBUG), expected.level >= DETOPS_LOG_DEBUG);
    Log(DETOPS_LOG_ERROR, "e");
    Log(DETOPS_LOG_INFO, "i");
    Log(DETOPS_LOG_DEBUG, "d");
    EXPECT_EQ(log.Take().size(), expected.lines) << "level " << expected.level;
  }
}

TEST(Log, RequestedLinesAreLoggedUnlessTheLogIsOff) {
  for (const detopsLogLevel_t level : {DETOPS_LOG_ERROR, DETOPS_LOG_INFO, DETOPS_LOG_DEBUG}) {
    LogCapture log(level);
    LogRequested(DETOPS_LOG_INFO, "asked for");
    EXPECT_THAT(log.Take(), ElementsAre("asked for")) << level;
  }
  LogCapture log(DETOPS_LOG_OFF);
  LogRequested(DETOPS_LOG_INFO, "asked for");
  EXPECT_THAT(log.Take(), ElementsAre());
}

TEST(Log, UnknownLevelIsRejectedAndChangesNothing) {
  LogCapture log(DETOPS_LOG_INFO);
  EXPECT_EQ(detopsSetLogLevel(static_cast<detopsLogLevel_t>(4)), MLUOP_STATUS_BAD_PARAM);
  EXPECT_EQ(detopsSetLogLevel(static_cast<detopsLogLevel_t>(-1)), MLUOP_STATUS_BAD_PARAM);
  EXPECT_THAT(log.Take(),
              ElementsAre("detopsSetLogLevel: level is 4; it must be 0 to 3", testing::_));
  EXPECT_TRUE(LogEnabled(DETOPS_LOG_INFO));
  EXPECT_FALSE(LogEnabled(DETOPS_LOG_DEBUG));
}

TEST(Log, SinkReceivesLevelAndLineUnchanged) {
  struct Seen {
    detopsLogLevel_t level;
    std::string line;
  } seen{};
  detopsSetLogSink(
      [](detopsLogLevel_t level, const char* line, void* user) {
        *static_cast<Seen*>(user) = {level, line};
      },
      &seen);
  Log(DETOPS_LOG_ERROR, "50% of {} and %s");  // not a format string
  detopsSetLogSink(nullptr, nullptr);
  EXPECT_EQ(seen.level, DETOPS_LOG_ERROR);
  EXPECT_EQ(seen.line, "50% of {} and %s");
}

TEST(Log, ControlCharactersAreReplaced) {
  LogCapture log;
  EXPECT_EQ(detopsSetSimdTarget("a\nb\x1b[31m"), MLUOP_STATUS_BAD_PARAM);
  EXPECT_THAT(log.Take(), ElementsAre(testing::HasSubstr("name is 'a?b?[31m'")));
}

// The first handle of a process logs a line at this level; the sink creates another handle.
void CreateHandleFromSink() {
  detopsSetLogLevel(DETOPS_LOG_INFO);
  detopsSetLogSink(
      [](detopsLogLevel_t, const char*, void*) {
        mluOpHandle_t inner = nullptr;
        mluOpCreate(&inner);
        mluOpDestroy(inner);
      },
      nullptr);
  mluOpHandle_t handle = nullptr;
  const bool created = mluOpCreate(&handle) == MLUOP_STATUS_SUCCESS;
  std::exit(created ? 0 : 1);
}

TEST(LogDeathTest, SinkMayCreateHandles) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(CreateHandleFromSink(), testing::ExitedWithCode(0), "");
}

TEST(Log, SinkMayCallTheLibrary) {
  int calls = 0;
  detopsSetLogSink(
      [](detopsLogLevel_t, const char*, void* user) {
        ++*static_cast<int*>(user);
        // Its line is dropped, and it does not deadlock.
        EXPECT_EQ(mluOpDestroy(nullptr), MLUOP_STATUS_BAD_PARAM);
      },
      &calls);
  Log(DETOPS_LOG_ERROR, "line");
  detopsSetLogSink(nullptr, nullptr);
  EXPECT_EQ(calls, 1);
}

// The variable is read once per process, so each value is tested in a new process.
void CreateHandleWithLogLevel(const char* value) {
  ::setenv("DETOPS_LOG_LEVEL", value, 1);
  mluOpHandle_t handle = nullptr;
  mluOpCreate(&handle);
  mluOpDestroy(handle);
  mluOpDestroy(nullptr);
  std::exit(0);
}

TEST(LogDeathTest, EnvironmentSetsTheLevel) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const std::string error =
      "detops error: mluOpDestroy: handle is NULL; it must be a valid pointer\n";
  const auto exits = testing::ExitedWithCode(0);
  EXPECT_EXIT(CreateHandleWithLogLevel("off"), exits, "^$");
  EXPECT_EXIT(CreateHandleWithLogLevel("error"), exits, "^" + error + "$");
  EXPECT_EXIT(CreateHandleWithLogLevel("info"), exits,
              "^detops info: detops [0-9.]+: using [^\n]*\n" + error + "$");
  EXPECT_EXIT(CreateHandleWithLogLevel("loud"), exits,
              "^detops error: DETOPS_LOG_LEVEL is 'loud'; it must be off, error, info or debug "
              "\\(using error\\)\n" +
                  error + "$");
}

TEST(Log, NoLineIsLostWithManyThreads) {
  constexpr int kThreads = 8;
  constexpr int kLines = 200;
  LogCapture log;
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([] {
      for (int line = 0; line < kLines; ++line) {
        Log(DETOPS_LOG_ERROR, "line");
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(log.Take().size(), size_t{kThreads} * kLines);
}

// What a sink sees. Calls do not overlap, and none is made after the sink was replaced.
struct SinkState {
  std::atomic<int> inside{0};
  std::atomic<int> calls{0};
  std::atomic<int> overlaps{0};
  std::atomic<int> late_calls{0};
  std::atomic<bool> is_replaced{false};
};

void Observe(detopsLogLevel_t, const char*, void* user) {
  SinkState& state = *static_cast<SinkState*>(user);
  state.overlaps += ++state.inside != 1 ? 1 : 0;
  std::this_thread::yield();
  ++state.calls;
  state.late_calls += state.is_replaced ? 1 : 0;
  --state.inside;
}

TEST(Log, CallsOfASinkDoNotOverlapAndEndWhenItIsReplaced) {
  constexpr int kThreads = 4;
  constexpr size_t kSinks = 200;
  std::atomic<bool> stop{false};
  std::vector<SinkState> states(kSinks);
  detopsSetLogLevel(DETOPS_LOG_ERROR);  // the environment may have set another
  detopsSetLogSink(Observe, states.data());
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      while (!stop) {
        Log(DETOPS_LOG_ERROR, "line");
      }
    });
  }
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  for (size_t i = 0; i + 1 < states.size(); ++i) {
    while (states[i].calls < 5 && std::chrono::steady_clock::now() < give_up) {
      std::this_thread::yield();
    }
    EXPECT_EQ(detopsSetLogSink(Observe, &states[i + 1]), MLUOP_STATUS_SUCCESS);
    states[i].is_replaced = true;
  }
  stop = true;
  for (std::thread& thread : threads) {
    thread.join();
  }
  detopsSetLogSink(nullptr, nullptr);
  EXPECT_GT(states.back().calls, 0) << "not all sinks were called, so little was tested";
  for (const SinkState& state : states) {
    EXPECT_EQ(state.overlaps, 0);
    EXPECT_EQ(state.late_calls, 0);
  }
}

}  // namespace
}  // namespace detops
