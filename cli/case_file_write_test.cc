// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// What WriteCase writes, and that ReadCase reads it back.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "cli/adapter.h"
#include "cli/case_file.h"
#include "cli/case_schema.h"
#include "cli/suite.h"
#include "cli/test_folder.h"

namespace detops::cli {
namespace {

using testing::HasSubstr;

void ExpectSame(const std::vector<Criterion>& a, const std::vector<Criterion>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].measure, b[i].measure);
    EXPECT_EQ(a[i].threshold, b[i].threshold);
  }
}

void ExpectSame(const Tensor& a, const Tensor& b) {
  EXPECT_EQ(a.id, b.id);
  EXPECT_EQ(a.layout, b.layout);
  EXPECT_EQ(a.dtype, b.dtype);
  EXPECT_EQ(a.dims, b.dims);
  EXPECT_EQ(a.strides, b.strides);
  ExpectSame(a.criteria, b.criteria);
  ASSERT_EQ(a.random.has_value(), b.random.has_value());
  if (a.random) {
    EXPECT_EQ(a.random->distribution, b.random->distribution);
    EXPECT_EQ(a.random->seed, b.random->seed);
    EXPECT_EQ(a.random->lower_bound, b.random->lower_bound);
    EXPECT_EQ(a.random->upper_bound, b.random->upper_bound);
    EXPECT_EQ(a.random->mu, b.random->mu);
    EXPECT_EQ(a.random->sigma, b.random->sigma);
  }
  ASSERT_EQ(a.values.size(), b.values.size());
  EXPECT_TRUE(a.values.size() == 0 ||
              std::memcmp(a.values.data(), b.values.data(), a.values.size()) == 0);
}

void ExpectSame(const Case& a, const Case& b) {
  EXPECT_EQ(a.op, b.op);
  EXPECT_EQ(a.parameters, b.parameters);
  EXPECT_EQ(a.expected_status, b.expected_status);
  ExpectSame(a.criteria, b.criteria);
  ASSERT_EQ(a.inputs.size(), b.inputs.size());
  ASSERT_EQ(a.outputs.size(), b.outputs.size());
  for (size_t i = 0; i < a.inputs.size(); ++i) {
    ExpectSame(a.inputs[i], b.inputs[i]);
  }
  for (size_t i = 0; i < a.outputs.size(); ++i) {
    ExpectSame(a.outputs[i], b.outputs[i]);
  }
}

// Every kind of tensor that can be written.
Case ManyKinds() {
  const float infinity = std::numeric_limits<float>::infinity();
  std::vector<Tensor> inputs;
  inputs.push_back(TensorOf(MLUOP_DTYPE_FLOAT, {2, 4},
                            {0.1f, -0.0f, 1e-45f, 3.4028235e38f, 16777216, 1.0f / 3, -7, 5e-39f},
                            MLUOP_LAYOUT_NCHW));
  inputs.push_back(TensorOf(MLUOP_DTYPE_HALF, {4}, {0.1f, infinity, -0.0f, 6e-8f}));
  inputs[0].id = "first \"one\"\n\xc3\xa4";
  inputs[1].strides = {3};
  Case made = MakeCase(FindAdapter("bbox_overlaps"), "many", std::move(inputs));
  made.outputs.push_back(TensorOf(MLUOP_DTYPE_INT32, {3, 1}, {-2147483648.0f, 0, 5}));
  made.parameters = {1, 1, -7};
  made.criteria = {{Measure::kDiff1, 1e-5}, {Measure::kDiff3_2, 0}, {Measure::kDiff4, 0.1}};
  made.expected_status = MLUOP_STATUS_NOT_SUPPORTED;
  return made;
}

void ExpectRoundTrip(const Case& made) {
  for (const CaseFormat format : {CaseFormat::kText, CaseFormat::kBinary}) {
    const TestFolder folder;
    const std::string path = folder / made.name + EndingOf(format);
    WriteCase(made, path, format);
    const Case read = ReadCase(path);
    EXPECT_EQ(read.name, made.name);
    ExpectSame(read, made);
    // The same case gives the same bytes.
    const TestFolder other;
    WriteCase(read, other / made.name + EndingOf(format), format);
    EXPECT_EQ(other.Read(made.name + EndingOf(format)), folder.Read(made.name + EndingOf(format)));
    EXPECT_EQ(other.Count(), folder.Count());
  }
}

TEST(WriteCase, WhatIsWrittenIsReadBack) { ExpectRoundTrip(ManyKinds()); }

TEST(WriteCase, BitsOfNaNsAreReadBack) {
  Case made = ManyKinds();
  const uint32_t bits[] = {0x7f800001, 0xffc12345, 0x7f800000, 0xff800000, 0, 1, 0x80000000, 7};
  std::memcpy(made.inputs[0].values.data(), bits, sizeof(bits));
  const uint16_t half_bits[] = {0x7c01, 0xfe00, 0xffff, 0x0001};
  std::memcpy(made.inputs[1].values.data(), half_bits, sizeof(half_bits));
  ExpectRoundTrip(made);
}

TEST(WriteCase, RandomDataIsReadBack) {
  Case made = ManyKinds();
  made.inputs[0].values = AlignedBuffer();
  RandomData& random = made.inputs[0].random.emplace();
  random.seed = -5;
  random.lower_bound = 0.1;
  random.upper_bound = 1e300;
  ExpectRoundTrip(made);
  random.distribution = RandomData::Distribution::kGaussian;
  random.mu = 0.3;
  random.sigma = 0.5;
  ExpectRoundTrip(made);
  random.lower_bound = 0;
  random.upper_bound = 1;
  ExpectRoundTrip(made);
}

TEST(WriteCase, TypesWithoutValuesAreReadBack) {
  Case made = ManyKinds();
  made.inputs[0] = MakeTensor(MLUOP_DTYPE_INT8, {5000, 4}, MLUOP_LAYOUT_NDHWC);
  made.inputs[1] = MakeTensor(MLUOP_DTYPE_INT64, {});
  made.outputs[0] = MakeTensor(MLUOP_DTYPE_FLOAT, {int64_t{1} << 40, 0});
  ExpectRoundTrip(made);
  made.outputs[0] = MakeTensor(MLUOP_DTYPE_FLOAT, {int64_t{1} << 40});
  ExpectRoundTrip(made);
  made.outputs.clear();
  ExpectRoundTrip(made);
  for (const auto& entry : kLayoutNumbers) {
    made.inputs[0].layout = entry.meaning;
    ExpectRoundTrip(made);
  }
}

TEST(WriteCase, TheCasesOfASuiteAreReadBack) {
  const Adapter& adapter = FindAdapter("bbox_overlaps");
  for (const Recipe& recipe : AcceptanceSuiteOf(adapter)) {
    if (recipe.kind != CaseKind::kNetwork) {
      ExpectRoundTrip(recipe.make());
    }
  }
}

// Descriptions hold parameters as double, files as float.
TEST(WriteCase, DefaultParametersAreReadBack) {
  for (size_t i = 0; i < Operators().size(); ++i) {
    SCOPED_TRACE(Operators()[i]->name);
    const size_t input_count = AdapterOf(i).description().inputs.size();
    std::vector<Tensor> inputs;
    for (size_t k = 0; k < input_count; ++k) {
      inputs.push_back(MakeTensor(MLUOP_DTYPE_FLOAT, {1}));
    }
    ExpectRoundTrip(MakeCase(AdapterOf(i), "defaults", std::move(inputs)));
  }
}

TEST(WriteCase, LongListsGoIntoRawFiles) {
  const TestFolder folder;
  Case made = ManyKinds();
  made.inputs[0] = TensorOf(MLUOP_DTYPE_FLOAT, {1025}, std::vector<float>(1025, 0.25f));
  made.inputs[1] = TensorOf(MLUOP_DTYPE_HALF, {1024}, std::vector<float>(1024, 0.25f));
  made.outputs[0] = TensorOf(MLUOP_DTYPE_INT32, {41, 25}, std::vector<float>(1025, 7));
  WriteCase(made, folder / "x.y.prototxt", CaseFormat::kText);
  EXPECT_EQ(folder.Count(), 3u);
  EXPECT_EQ(folder.Read("x.y.input0.raw").size(), 4100u);
  EXPECT_EQ(folder.Read("x.y.output0.raw").size(), 4100u);
  EXPECT_THAT(folder.Read("x.y.prototxt"), HasSubstr("path: \"x.y.input0.raw\""));
  ExpectSame(ReadCase(folder / "x.y.prototxt"), made);
}

TEST(WriteCase, TextIsReadable) {
  const TestFolder folder;
  std::vector<Tensor> inputs;
  inputs.push_back(TensorOf(MLUOP_DTYPE_FLOAT, {1, 4}, {0, 0.1f, -2.5f, 1e20f}));
  inputs.push_back(MakeTensor(MLUOP_DTYPE_FLOAT, {100, 4}));
  inputs[0].id = "bbox1";
  inputs[1].random.emplace().upper_bound = 10;
  Case made = MakeCase(FindAdapter("bbox_overlaps"), "a", std::move(inputs));
  made.criteria = {{Measure::kDiff1, 1e-5}};
  made.expected_status = MLUOP_STATUS_BAD_PARAM;
  WriteCase(made, folder / "a.prototxt", CaseFormat::kText);
  EXPECT_EQ(folder.Read("a.prototxt"), R"(op_name: "bbox_overlaps"
input {
  id: "bbox1"
  shape {
    dims: [1, 4]
  }
  layout: LAYOUT_ARRAY
  dtype: DTYPE_FLOAT
  value_f: [0, 0.1, -2.5, 1e+20]
}
input {
  shape {
    dims: [100, 4]
  }
  layout: LAYOUT_ARRAY
  dtype: DTYPE_FLOAT
  random_data {
    seed: 0
    lower_bound: 0
    upper_bound: 10
    distribution: UNIFORM
  }
}
evaluation_criterion: [DIFF1]
evaluation_threshold: [1e-05]
bbox_overlaps_param {
  mode: 0
  aligned: false
  offset: 0
}
expected_status: 3
)");
}

TEST(WriteCase, EveryFloatIsReadBack) {
  std::vector<float> numbers(1024);
  uint32_t bits = 12345;
  for (int round = 0; round < 20; ++round) {
    for (float& number : numbers) {
      bits = bits * 1664525 + 1013904223;
      std::memcpy(&number, &bits, sizeof(number));
      number = std::isfinite(number) ? number : 1;
    }
    Case made = ManyKinds();
    made.inputs[0] = TensorOf(MLUOP_DTYPE_FLOAT, {1024}, numbers);
    const TestFolder folder;
    WriteCase(made, folder / "a.prototxt", CaseFormat::kText);
    ExpectSame(ReadCase(folder / "a.prototxt"), made);
  }
}

TEST(WriteCase, AFloatIsReadBackAlthoughReadersRoundTwice) {
  // 7.038531e-26 is the shortest text of this float. As a double it lies halfway to the next float.
  const uint32_t bits = 0x15ae43fd;
  float number;
  std::memcpy(&number, &bits, sizeof(number));
  ASSERT_NE(static_cast<float>(7.038531e-26), number);
  Case made = ManyKinds();
  made.inputs[0] = TensorOf(MLUOP_DTYPE_FLOAT, {1}, {number});
  ExpectRoundTrip(made);
}

TEST(WriteCase, AllOrNothing) {
  const TestFolder folder;
  Case made = ManyKinds();
  EXPECT_EQ(UserErrorOf([&] { WriteCase(made, folder / "none/a.pb", CaseFormat::kBinary); }),
            folder / "none/a.pb: cannot be written: No such file or directory");
  made.inputs[0] = TensorOf(MLUOP_DTYPE_FLOAT, {1025}, std::vector<float>(1025, 0.25f));
  made.outputs[0] = TensorOf(MLUOP_DTYPE_INT32, {1025}, std::vector<float>(1025, 7));
  std::filesystem::create_directory(folder / "a.output0.raw");
  EXPECT_EQ(UserErrorOf([&] { WriteCase(made, folder / "a.pb", CaseFormat::kBinary); }),
            folder / "a.output0.raw: is a folder; the output must be a file");
  EXPECT_EQ(folder.Count(), 1u);
  made.inputs[0].dtype = MLUOP_DTYPE_INVALID;
  EXPECT_EQ(UserErrorOf([&] { WriteCase(made, folder / "a.pb", CaseFormat::kBinary); }),
            folder / "a.pb: input 0 '' has type 0, which case files cannot express");
}

}  // namespace
}  // namespace detops::cli
