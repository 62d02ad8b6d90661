// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Another thread overwrites the inputs of every operator while it runs. Results may then be
// anything, but no access may leave its array: inputs, results and workspaces end at inaccessible
// pages, and AddressSanitizer watches all other memory. ThreadSanitizer does not run this test,
// because the race is the caller's.
//
// Each operator is tested for a second, by `make soak` for longer.

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "cnrt.h"
#include "core/operators.h"
#include "core/simd_target.h"
#include "testing/soak.h"
#include "tests/scribbled_calls.h"

namespace detops {
namespace {

using Clock = std::chrono::steady_clock;

std::chrono::duration<double> Duration() { return std::chrono::duration<double>(SoakSeconds(1)); }

// What wrong inputs hold, as bits of a float, an int32 or two halves: NaN, infinities, the largest
// float, 1e9f, -1.0f, 3.0f, the largest and the smallest int32, -1, 0, 1, a million, and infinite
// halves.
constexpr uint32_t kWrongWords[] = {0x7FC00000, 0x7F800000, 0xFF800000, 0x7F7FFFFF, 0x4E6E6B28,
                                    0xBF800000, 0x40400000, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF,
                                    0,          1,          1000000,    0x7C007C00};

// Overwrites inputs on a thread of its own, and restores them at the end of its life.
class Scribbler {
 public:
  Scribbler(const std::vector<ScribbledInput>& inputs, uint32_t seed)
      : inputs_(inputs), random_(seed), thread_([this] { Run(); }) {}
  ~Scribbler() {
    stop_ = true;
    thread_.join();
    for (const ScribbledInput& input : inputs_) {
      Restore(input);
    }
  }
  Scribbler(const Scribbler&) = delete;
  Scribbler& operator=(const Scribbler&) = delete;

 private:
  void Run() {
    while (!stop_) {
      // Small inputs, such as counts, are chosen as often as large ones.
      const ScribbledInput& input = inputs_[random_() % inputs_.size()];
      switch (random_() % 4) {
        case 0:
          Poke(input);
          break;
        case 1:
          Flood(input, [&](size_t) { return WrongWord(); });
          break;
        case 2:
          Flood(input, [&](size_t) { return input.valid[random_() % input.valid.size()]; });
          break;
        default:
          Exchange(input);
          break;
      }
    }
  }

  // Relaxed atomic stores, so that compilers keep all of them. An operator sees whole words, as it
  // would with plain stores of a caller.
  static void Write(const ScribbledInput& input, size_t at, uint32_t word) {
    std::atomic_ref<uint32_t>(input.words[at]).store(word, std::memory_order_relaxed);
  }
  static void Restore(const ScribbledInput& input) {
    for (size_t i = 0; i < input.valid.size(); ++i) {
      Write(input, i, input.valid[i]);
    }
  }

  uint32_t WrongWord() {
    const uint32_t choice = random_() % (2 * std::size(kWrongWords));
    return choice < std::size(kWrongWords) ? kWrongWords[choice] : random_();
  }

  // Makes one word wrong for a moment, again and again: operators that check their inputs find all
  // of them valid most of the time.
  void Poke(const ScribbledInput& input) {
    for (int i = 0; i < 300 && !stop_; ++i) {
      const size_t at = random_() % input.valid.size();
      Write(input, at, WrongWord());
      for (uint32_t wait = random_() % 64; wait != 0; --wait) {
        std::atomic_signal_fence(std::memory_order_seq_cst);
      }
      Write(input, at, input.valid[at]);
    }
  }

  // Overwrites part of the words.
  template <class WordAt>
  void Flood(const ScribbledInput& input, const WordAt& word_at) {
    const size_t begin = random_() % input.valid.size();
    const size_t end = begin + 1 + random_() % (input.valid.size() - begin);
    for (size_t i = begin; i < end && !stop_; ++i) {
      Write(input, i, word_at(i));
    }
    Restore(input);
  }

  // Exchanges valid words, which keeps their sum.
  void Exchange(const ScribbledInput& input) {
    for (int i = 0; i < 300 && !stop_; ++i) {
      const size_t a = random_() % input.valid.size();
      const size_t b = random_() % input.valid.size();
      Write(input, a, input.valid[b]);
      Write(input, b, input.valid[a]);
      Write(input, a, input.valid[a]);
      Write(input, b, input.valid[b]);
    }
  }

  const std::vector<ScribbledInput>& inputs_;
  std::mt19937 random_;
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

std::vector<ScribbledCall> CallsOf(const std::string& op) {
  std::vector<ScribbledCall> calls;
  for (auto list : {ScribbledCCalls, ScribbledCppCalls, ScribbledRuns}) {
    for (ScribbledCall& call : list()) {
      if (call.op == op) {
        calls.push_back(std::move(call));
      }
    }
  }
  return calls;
}

std::vector<std::string> OperatorNames() {
  std::vector<std::string> names;
  for (const Operator* const op : Operators()) {
    names.emplace_back(op->name);
  }
  return names;
}

class Scribble : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    detopsSetLogSink([](detopsLogLevel_t, const char*, void*) {}, nullptr);
  }
  void TearDown() override { detopsSetLogSink(nullptr, nullptr); }

  // Makes a call for a moment, with one of the ways of running that `variant` numbers.
  void MakeForAMoment(const ScribbledCall& call, uint32_t variant) {
    const std::vector<int64_t>& targets = SimdTargets();
    ASSERT_TRUE(SetSimdTarget(hwy::TargetName(targets[variant / 4 % targets.size()])).ok());
    Context context;
    context.SetThreads(variant % 2 == 0 ? 1 : 3);
    Queue queue;
    if (variant / 2 % 2 != 0) {
      context.SetQueue(queue);
    }
    const Scribbler scribbler(call.inputs, variant);
    const Clock::time_point end = Clock::now() + std::chrono::milliseconds(20);
    do {
      Make(call, context, queue);
    } while (Clock::now() < end && !HasFailure());
  }

  void Make(const ScribbledCall& call, Context& context, Queue& queue) {
    const mluOpStatus_t status = call.make(context);
    const cnrtRet_t queued = cnrtQueueSync(queue.get());
    if (status == MLUOP_STATUS_SUCCESS && queued == cnrtSuccess) {
      ++successes_;
      EXPECT_TRUE(call.is_safe()) << call.name;
    } else {
      EXPECT_TRUE(status == MLUOP_STATUS_SUCCESS || status == MLUOP_STATUS_BAD_PARAM) << call.name;
      EXPECT_TRUE(queued == cnrtSuccess || queued == cnrtErrorArgsInvalid) << call.name;
    }
  }

  int64_t successes_ = 0;
};

TEST_P(Scribble, AccessesStayInTheirArrays) {
  const std::vector<ScribbledCall> calls = CallsOf(GetParam());
  ASSERT_FALSE(calls.empty()) << "tests/scribbled_calls_*.cc have no call of this operator";
  const auto end = Clock::now() + Duration();
  for (uint32_t variant = 0; Clock::now() < end && !HasFailure(); ++variant) {
    for (const ScribbledCall& call : calls) {
      MakeForAMoment(call, variant);
    }
  }
  EXPECT_GT(successes_, 0);
  RecordProperty("successes", std::to_string(successes_));
}

INSTANTIATE_TEST_SUITE_P(AllOperators, Scribble, testing::ValuesIn(OperatorNames()),
                         [](const auto& operator_name) { return operator_name.param; });

}  // namespace
}  // namespace detops
