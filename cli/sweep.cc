// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "cli/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "cli/operator_parts.h"
#include "cli/runner.h"

namespace detops::cli {
namespace {

// Data sets per point. With a single one, a short call is timed with branches that the processor
// has learned.
constexpr uint32_t kDataSets = 3;

// Up to this many boxes, the results are compared with the reference.
constexpr double kMostCheckedBoxes = 3000;

struct OperatorSweep {
  const char* op;
  std::vector<SweepLine> (*lines)();
};

constexpr OperatorSweep kSweeps[] = {
#define DETOPS_SWEEP(op) {#op, op::SweepLines},
#include "cli/sweeps.inc"
#undef DETOPS_SWEEP
};

// Calls use(op, line) for each line.
template <class Use>
void ForEachLine(const SweepOptions& options, const Use& use) {
  bool found = false;
  for (const OperatorSweep& sweep : kSweeps) {
    if (options.op.empty() || options.op == sweep.op) {
      found = true;
      for (SweepLine& line : sweep.lines()) {
        std::erase_if(line.points,
                      [&](const SweepPoint& point) { return point.boxes > options.most_boxes; });
        use(sweep.op, line);
      }
    }
  }
  if (!found) {
    static_cast<void>(FindAdapter(options.op));
    throw UserError(fmt::format("{} has no sweep", options.op));
  }
}

// The cases of a line, ready to be timed.
class TimedLine {
 public:
  TimedLine(const char* op, const SweepLine& line, Runner& runner) : runner_(runner) {
    for (const SweepPoint& point : line.points) {
      BenchResult result{};
      result.op = op;
      result.name = fmt::format("{} {}", line.name, point.name);
      result.elements = static_cast<int64_t>(point.boxes);
      result.threads = runner.threads();
      results_.push_back(std::move(result));
      for (uint32_t seed = 1; seed <= kDataSets; ++seed) {
        cases_.push_back(std::make_unique<Case>(point.make(seed)));
        Prepare(point, *cases_.back());
      }
    }
  }

  // Times all points in turns.
  std::vector<BenchResult> Time(int rounds) {
    std::vector<std::vector<double>> samples(results_.size());
    for (int round = 0; round < rounds; ++round) {
      for (size_t i = 0; i < cases_.size(); ++i) {
        samples[i / kDataSets].push_back(runner_.Time(*cases_[i], 0).median);
      }
    }
    std::vector<BenchResult> timed = results_;
    for (size_t i = 0; i < timed.size(); ++i) {
      std::sort(samples[i].begin(), samples[i].end());
      const size_t count = samples[i].size();
      timed[i].samples = static_cast<int>(count);
      timed[i].seconds = samples[i][count / 2];
      timed[i].lower = samples[i][count / 4];
      timed[i].upper = samples[i][count * 3 / 4];
    }
    return timed;
  }

 private:
  void Prepare(const SweepPoint& point, Case& input) {
    if (point.boxes > kMostCheckedBoxes) {
      input.outputs = FindAdapter(input.op).Outputs(input);
      PrepareTensors(input);
      return;
    }
    const CaseResult checked = runner_.Run(input);
    if (!checked.passed) {
      throw UserError(fmt::format("{} {}: not timed, because the result is wrong: {}", input.op,
                                  point.name, WhyItFailed(checked)));
    }
  }

  Runner& runner_;
  std::vector<BenchResult> results_;
  std::vector<std::unique_ptr<Case>> cases_;  // kDataSets per point
};

// Times a line, and once more if it has cliffs. Appends the results of the last time.
void TimeLine(const char* op, const SweepLine& line, Runner& runner, int rounds,
              SweepResults& results) {
  TimedLine timed(op, line, runner);
  std::vector<BenchResult> times = timed.Time(rounds);
  std::vector<size_t> suspects;  // the first point of each cliff
  for (const Cliff& cliff : FindCliffs(times)) {
    suspects.push_back(static_cast<size_t>(cliff.point - times.data()));
  }
  if (!suspects.empty()) {
    times = timed.Time(rounds);
  }
  const size_t begin = results.results.size();
  results.results.insert(results.results.end(), times.begin(), times.end());
  for (const Cliff& cliff : FindCliffs(times)) {
    const auto at = static_cast<size_t>(cliff.point - times.data());
    if (std::find(suspects.begin(), suspects.end(), at) != suspects.end()) {
      // The pointers are set at the end, when the results no longer move.
      results.cliffs.push_back({results.results.data() + begin + at, nullptr});
    }
  }
}

// Returns values from `first` to about `last`, each by kSweepFactor larger than the one before it.
std::vector<double> Growing(double first, double last) {
  std::vector<double> values = {first};
  while (values.back() * kSweepFactor <= last * 1.01) {
    values.push_back(values.back() * kSweepFactor);
  }
  return values;
}

// Returns thresholds from 0.1 to 0.9. Above a half, the distance to 1 is what matters: it shrinks
// by kSweepFactor.
std::vector<double> GrowingThresholds() {
  std::vector<double> values = Growing(0.1, 0.5);
  while (values.back() < 0.9) {
    values.push_back(1 - (1 - values.back()) / kSweepFactor);
  }
  return values;
}

}  // namespace

std::vector<SweepLine> SceneLines(
    const std::function<Case(const SceneSize& size, uint32_t seed)>& make) {
  std::vector<SweepLine> lines;
  const auto add = [&](const std::string& name, const std::vector<double>& values,
                       const auto& size_of) {
    SweepLine line{.name = name, .points = {}};
    for (const double value : values) {
      const SceneSize size = size_of(value);
      line.points.push_back({.name = fmt::format("{:.3g}", value),
                             .boxes = static_cast<double>(size.boxes),
                             .make = [=](uint32_t seed) { return make(size, seed); }});
    }
    lines.push_back(std::move(line));
  };
  struct Crowd {
    double boxes_per_object, iou_threshold;
  };
  for (const Crowd& crowd : {Crowd{1, 0.5}, Crowd{5, 0.3}, Crowd{5, 0.5}, Crowd{25, 0.3},
                             Crowd{25, 0.5}, Crowd{25, 0.7}, Crowd{100, 0.5}}) {
    add(fmt::format("{}_per_object_threshold_{}_boxes", crowd.boxes_per_object,
                    crowd.iou_threshold),
        Growing(100, 100'000), [=](double boxes) {
          return SceneSize{std::llround(boxes), crowd.boxes_per_object, crowd.iou_threshold};
        });
  }
  for (const int64_t boxes : {1000, 5000, 20'000, 100'000}) {
    add(fmt::format("{}_boxes_threshold_0.5_per_object", boxes), Growing(1, 500),
        [=](double per_object) {
          return SceneSize{boxes, per_object, 0.5};
        });
  }
  for (const int64_t objects : {20, 200}) {
    add(fmt::format("{}_objects_threshold_0.5_per_object", objects), Growing(1, 500),
        [=](double per_object) {
          return SceneSize{std::llround(static_cast<double>(objects) * per_object), per_object,
                           0.5};
        });
  }
  struct Size {
    int64_t boxes;
    double boxes_per_object;
  };
  for (const Size& size : {Size{1000, 25}, Size{10'000, 5}, Size{10'000, 25}, Size{100'000, 25}}) {
    add(fmt::format("{}_boxes_{}_per_object_threshold", size.boxes, size.boxes_per_object),
        GrowingThresholds(), [=](double threshold) {
          return SceneSize{size.boxes, size.boxes_per_object, threshold};
        });
  }
  return lines;
}

double Cliff::Ratio() const {
  const double before = point->seconds / static_cast<double>(point->elements);
  const double after = next->seconds / static_cast<double>(next->elements);
  return std::max(before / after, after / before);
}

std::vector<Cliff> FindCliffs(const std::vector<BenchResult>& line) {
  std::vector<Cliff> cliffs;
  for (size_t i = 1; i < line.size(); ++i) {
    const Cliff step{&line[i - 1], &line[i]};
    if (step.Ratio() > kCliff) {
      cliffs.push_back(step);
    }
  }
  return cliffs;
}

SweepResults RunSweep(const Machine& machine, const SweepOptions& options,
                      const std::function<void(const std::string&)>& step) {
  SweepResults results;
  size_t points = 0;
  ForEachLine(options, [&](const char* /*op*/, const SweepLine& line) {
    points += line.points.size() * machine.limits.size();
  });
  results.results.reserve(points);
  for (const Limits& limits : machine.limits) {
    RunnerOptions of_runner;
    of_runner.threads = limits.threads;
    Runner runner(machine, of_runner);
    ForEachLine(options, [&](const char* op, const SweepLine& line) {
      step(fmt::format("{} {}", op, line.name));
      TimeLine(op, line, runner, options.rounds, results);
    });
  }
  for (Cliff& cliff : results.cliffs) {
    cliff.next = cliff.point + 1;
  }
  return results;
}

size_t CountSweepLines(const Machine& machine, const SweepOptions& options) {
  size_t count = 0;
  ForEachLine(options, [&](const char* /*op*/, const SweepLine& /*line*/) { ++count; });
  return count * machine.limits.size();
}

}  // namespace detops::cli
