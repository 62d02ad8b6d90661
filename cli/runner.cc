// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "cli/runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "cli/format.h"
#include "cli/machine.h"
#include "measure/timing.h"

namespace detops::cli {
namespace {

// Fills outputs before a call: a byte that yields floats and integers which no operator returns.
constexpr int kUntouched = 0x7f;

// The library refuses tensors with this many elements, whatever their values. They get no memory.
constexpr int64_t kTooManyElements = int64_t{1} << 31;

// A sample of shorter calls times several of them, so that the clock's resolution does not matter.
constexpr double kShortestSample = 20e-6;
constexpr int kMinSamples = 3;
constexpr int kMaxSamples = 10'000;

// A reference that takes less time is timed repeatedly.
constexpr double kReferenceSeconds = 0.02;
constexpr size_t kMaxReferenceSamples = 101;

// diff4 needs this many unequal elements: the signs of fewer show no bias.
constexpr int64_t kMinUnequal = 100;

bool HasNumbers(const Tensor& tensor) {
  return tensor.dtype == MLUOP_DTYPE_FLOAT || tensor.dtype == MLUOP_DTYPE_HALF ||
         tensor.dtype == MLUOP_DTYPE_INT32;
}

void CheckMemory(const Case& input) {
  size_t bytes = 0;
  for (const std::vector<Tensor>* const tensors : {&input.inputs, &input.outputs}) {
    for (const Tensor& tensor : *tensors) {
      // There are two copies of each output: ours and the reference's.
      bytes += tensor.count() < kTooManyElements
                   ? tensor.bytes() * (tensors == &input.outputs ? 2 : 1)
                   : 0;
    }
  }
  const size_t available = AvailableMemory();
  if (bytes > available) {
    throw UserError(fmt::format("{}: its tensors need {} MB of memory; {} MB are available",
                                input.name, bytes >> 20, available >> 20));
  }
}

void GiveValues(Tensor& tensor) {
  if (tensor.has_values() || tensor.count() >= kTooManyElements) {
    return;
  }
  if (HasNumbers(tensor)) {
    DrawValues(tensor);
  } else {
    Allocate(tensor, 0);
  }
}

void GiveMemory(Tensor& tensor) {
  if (tensor.count() < kTooManyElements) {
    Allocate(tensor, kUntouched);
  }
}

bool IsUntouched(const Tensor& tensor, size_t from) {
  const auto* const bytes = tensor.as<unsigned char>();
  for (size_t i = from; i < tensor.values.size(); ++i) {
    if (bytes[i] != kUntouched) {
      return false;
    }
  }
  return true;
}

std::vector<Criterion> ContractCriteria(mluOpDataType_t dtype) {
  switch (dtype) {
    case MLUOP_DTYPE_FLOAT:
      return {{Measure::kDiff1, 1e-6}, {Measure::kDiff2, 1e-6}};
    case MLUOP_DTYPE_HALF:
      return {{Measure::kDiff1, 1e-3}, {Measure::kDiff2, 1e-3}};
    default:
      return {{Measure::kDiff3, 0}};
  }
}

Check Judge(const Diffs& diffs, const Criterion& criterion) {
  Check check{};
  check.measure = criterion.measure;
  check.threshold = criterion.threshold;
  switch (criterion.measure) {
    case Measure::kDiff1:
      check.value = diffs.diff1;
      break;
    case Measure::kDiff2:
      check.value = diffs.diff2;
      break;
    case Measure::kDiff3:
      check.value = diffs.diff3_relative;
      check.second = diffs.diff3_absolute;
      break;
    case Measure::kDiff3_2:
      check.value = diffs.diff3_2;
      break;
    case Measure::kDiff4:
      check.value = std::max(diffs.share_above(), diffs.share_below());
      check.second = static_cast<double>(diffs.unequal);
      // A single mismatch of non-finite values fails: it makes the other measures infinite.
      check.passed = std::isfinite(diffs.diff3_2) &&
                     (diffs.unequal < kMinUnequal || check.value <= check.threshold);
      return check;
  }
  check.passed = check.value <= check.threshold && check.second <= check.threshold;
  return check;
}

// Appends the checks of one output against the right values, over the elements that the call wrote.
void CompareOutput(const Tensor& found, const Tensor& right, int64_t written, const char* name,
                   const char* against, const std::vector<Criterion>& criteria,
                   std::vector<Check>& checks) {
  const Diffs diffs = ComputeDiffs(Numbers(found, written), Numbers(right, written),
                                   found.dtype == MLUOP_DTYPE_HALF ? kSmallHalf : kSmallFloat);
  for (const Criterion& criterion : criteria.empty() ? ContractCriteria(found.dtype) : criteria) {
    Check check = Judge(diffs, criterion);
    check.output = name;
    check.against = against;
    checks.push_back(std::move(check));
  }
}

// Computes the reference's results in place of the case's outputs, restores the outputs, and calls
// use(reference, seconds).
template <class Use>
void WithReference(const Adapter& adapter, Case& done, const Use& use) {
  std::vector<Tensor> ours = std::move(done.outputs);
  done.outputs.clear();
  for (const Tensor& tensor : ours) {
    done.outputs.push_back(MakeTensor(tensor.dtype, tensor.dims, tensor.layout));
    Allocate(done.outputs.back(), kUntouched);
  }
  const auto restore = [&] { return std::exchange(done.outputs, std::move(ours)); };
  double seconds = 0;
  try {
    Status status;
    seconds = SecondsOf([&] { status = adapter.Reference(done); });
    if (!status.ok()) {
      throw std::logic_error(
          fmt::format("{}: the reference refuses a case that the operator accepted: {}", done.name,
                      status.message()));
    }
  } catch (...) {
    restore();
    throw;
  }
  use(restore(), seconds);
}

// A call that failed must not have written its outputs.
void CheckUntouched(const Case& failed, CaseResult& result) {
  for (const Tensor& tensor : failed.outputs) {
    if (!IsUntouched(tensor, 0)) {
      result.passed = false;
      result.message += " (but outputs were written)";
    }
  }
}

// Compares the results of a call that succeeded with the reference and with expected values.
void CheckResults(const Adapter& adapter, Case& done, const std::vector<Tensor>& expected,
                  CaseResult& result) {
  const Description& description = adapter.description();
  WithReference(adapter, done, [&](const std::vector<Tensor>& reference, double seconds) {
    result.reference_seconds = seconds;
    for (size_t i = 0; i < done.outputs.size(); ++i) {
      const Tensor& found = done.outputs[i];
      const char* const name = description.outputs[i].name;
      // When the reference returns another number of elements, the output that holds the number
      // fails its own check.
      const int64_t written = std::min(WrittenCount(adapter, done, i), found.count());
      const std::vector<Criterion>& criteria =
          found.criteria.empty() ? done.criteria : found.criteria;
      CompareOutput(found, reference[i], written, name, "reference", criteria, result.checks);
      if (i < expected.size() && expected[i].values.size() != 0) {
        CompareOutput(found, expected[i], written, name, "expected", criteria, result.checks);
      }
      if (found.count() != 0 &&
          !IsUntouched(found, static_cast<size_t>(written) * DataTypeSize(found.dtype)) &&
          written != found.count()) {
        result.message = fmt::format("{} was written after its {} results", name, written);
      }
    }
  });
  result.passed =
      result.message.empty() && std::all_of(result.checks.begin(), result.checks.end(),
                                            [](const Check& check) { return check.passed; });
}

Timing Quartiles(std::vector<double>& samples) {
  std::sort(samples.begin(), samples.end());
  const auto at = [&](double part) {
    return samples[static_cast<size_t>(
        std::lround(part * static_cast<double>(samples.size() - 1)))];
  };
  return {at(0.5), at(0.25), at(0.75), static_cast<int>(samples.size())};
}

}  // namespace

Runner::Runner(const Machine& machine, const RunnerOptions& options)
    : machine_(machine), options_(options) {
  context_.SetThreads(options.threads);
  if (options.queue) {
    context_.SetQueue(queue_);
  }
}

mluOpStatus_t Runner::Call(const Adapter& adapter, Invocation& invocation) {
  const mluOpStatus_t status = adapter.Call(invocation);
  if (status == MLUOP_STATUS_SUCCESS && options_.queue &&
      cnrtQueueSync(queue_.get()) != cnrtSuccess) {
    return MLUOP_STATUS_BAD_PARAM;  // invalid data, found while the call ran
  }
  return status;
}

CaseResult Runner::Run(Case& input) { return Run(FindAdapter(input.op), input); }

CaseResult Runner::Run(const Adapter& adapter, Case& input) {
  std::vector<Tensor> expected = std::move(input.outputs);
  input.outputs = adapter.Outputs(input);
  if (!expected.empty()) {
    input.outputs.clear();
    for (const Tensor& tensor : expected) {
      input.outputs.push_back(MakeTensor(tensor.dtype, tensor.dims, tensor.layout));
      input.outputs.back().strides = tensor.strides;
      input.outputs.back().criteria = tensor.criteria;
    }
  }
  CheckPointerOutputs(adapter, input);
  PrepareTensors(input);

  CaseResult result{};
  result.name = input.name;
  result.op = input.op;
  result.shapes = ShapesOf(input.inputs);
  result.expected_status = input.expected_status;
  Invocation invocation(context_.handle(), input);
  result.status = Call(adapter, invocation);
  result.passed = result.status == result.expected_status;
  if (result.status != MLUOP_STATUS_SUCCESS) {
    result.message = detopsGetLastError();
    CheckUntouched(input, result);
    return result;
  }
  if (!result.passed) {
    return result;
  }
  CheckResults(adapter, input, expected, result);
  if (options_.timing_seconds > 0) {
    result.seconds = Time(input, options_.timing_seconds).median;
    result.work = adapter.WorkOf(input);
    const Limits& limits = machine_.LimitsOf(threads());
    result.io_efficiency = result.work.bytes / result.seconds / limits.bytes_per_second;
    result.compute_efficiency =
        result.work.operations / result.seconds / limits.operations_per_second;
  }
  return result;
}

Timing Runner::Time(const Case& done, double seconds) {
  const Adapter& adapter = FindAdapter(done.op);
  Invocation invocation(context_.handle(), done);
  const auto call = [&] { Call(adapter, invocation); };
  call();
  const double once = SecondsOf(call);
  const int calls = std::max(1, static_cast<int>(kShortestSample / std::max(once, 1e-9)));
  std::vector<double> samples;
  double total = 0;
  while (samples.size() < kMinSamples || (total < seconds && samples.size() < kMaxSamples)) {
    const double sample = SecondsOf([&] {
      for (int i = 0; i < calls; ++i) {
        call();
      }
    });
    total += sample;
    samples.push_back(sample / calls);
  }
  return Quartiles(samples);
}

void PrepareTensors(Case& input) {
  CheckMemory(input);
  std::for_each(input.inputs.begin(), input.inputs.end(), GiveValues);
  std::for_each(input.outputs.begin(), input.outputs.end(), GiveMemory);
}

std::string ShapesOf(const std::vector<Tensor>& tensors) {
  std::string shapes;
  for (const Tensor& tensor : tensors) {
    shapes += (shapes.empty() ? "" : ", ") + tensor.ToString();
  }
  return shapes;
}

double ReferenceSeconds(Case& done) {
  std::vector<double> samples;
  double total = 0;
  while (samples.empty() || (total < kReferenceSeconds && samples.size() < kMaxReferenceSamples)) {
    WithReference(FindAdapter(done.op), done,
                  [&](const std::vector<Tensor>& /*reference*/, double seconds) {
                    samples.push_back(seconds);
                    total += seconds;
                  });
  }
  return Median(samples);
}

std::string WhyItFailed(const CaseResult& result) {
  if (result.passed) {
    return "";
  }
  if (result.status != result.expected_status) {
    return fmt::format("{}{}{}; the case expects {}", mluOpGetErrorString(result.status),
                       result.message.empty() ? "" : ": ", result.message,
                       mluOpGetErrorString(result.expected_status));
  }
  if (!result.message.empty()) {
    return result.message;
  }
  for (const Check& check : result.checks) {
    if (!check.passed) {
      return fmt::format(
          "{} of {} against the {} values is {}; it must be at most {}", NameOf(check.measure),
          check.output, check.against,
          FormatError(std::max(check.value, check.measure == Measure::kDiff3 ? check.second : 0)),
          FormatError(check.threshold));
    }
  }
  return "failed";
}

}  // namespace detops::cli
