// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// What a case file states about a call of an operator: plain data that an operator's api.cc fills
// from its operands and options. Field and tensor order are those of case files.

#ifndef DETOPS_RUNTIME_RECORDED_CASE_H_
#define DETOPS_RUNTIME_RECORDED_CASE_H_

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "core/operand.h"

namespace detops {

// The interval from which a replay draws the values of an input that was recorded without data. If
// both bounds are equal, all values are that number.
struct RandomRange {
  double lower = 0;
  double upper = 1;
};

// A tensor. It owns its name and shape, because a descriptor may be destroyed before a queued call
// runs. The data are the caller's.
struct RecordedTensor {
  // NOLINTNEXTLINE(google-explicit-constructor): cases are filled from operands.
  RecordedTensor(const Operand& operand, RandomRange random_range = {})
      : name(operand.is_present() ? operand.name : ""),
        shape(operand.is_present() ? *operand.shape : TensorShape()),
        data(operand.data),
        range(random_range) {}

  bool is_present() const { return !name.empty(); }

  std::string name;
  TensorShape shape;
  const void* data;
  RandomRange range;
};

struct RecordedParameter {
  const char* name;
  std::variant<bool, int64_t, float> value;
};

struct RecordedCase {
  const char* op_name = "";
  const char* parameters_name = "";  // the field of the parameters in a case file
  std::vector<RecordedParameter> parameters = {};
  std::vector<RecordedTensor> inputs = {};
  // If one of them is absent, the file has no outputs, and a replay derives them from the inputs.
  std::vector<RecordedTensor> outputs = {};
  // Why no case file can express the call; null if one can.
  const char* obstacle = nullptr;
};

// Returns the case of a call that no case file can express.
inline RecordedCase NoCase(const char* obstacle) { return {.obstacle = obstacle}; }

}  // namespace detops

#endif  // DETOPS_RUNTIME_RECORDED_CASE_H_
