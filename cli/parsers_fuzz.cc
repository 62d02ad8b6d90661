// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Parses arbitrary bytes as each kind of file that the command reads. Reading must succeed or throw
// UserError, and what was read must survive writing and reading again.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "cli/case_file.h"
#include "cli/numpy_file.h"
#include "cli/test_folder.h"

namespace {

using detops::cli::Case;
using detops::cli::CaseFormat;
using detops::cli::Criterion;
using detops::cli::Tensor;

void Require(bool condition, const char* what) {
  if (!condition) {
    std::fprintf(stderr, "parsers_fuzz: %s\n", what);
    std::abort();
  }
}

// NaN counts as equal to NaN.
bool SameNumber(double a, double b) { return a == b || (a != a && b != b); }

bool SameRandom(const Tensor& a, const Tensor& b) {
  return a.random.has_value() == b.random.has_value() &&
         (!a.random ||
          (a.random->distribution == b.random->distribution && a.random->seed == b.random->seed &&
           a.random->lower_bound == b.random->lower_bound &&
           a.random->upper_bound == b.random->upper_bound && a.random->mu == b.random->mu &&
           a.random->sigma == b.random->sigma));
}

bool Same(const std::vector<Criterion>& a, const std::vector<Criterion>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Criterion& left, const Criterion& right) {
                      return left.measure == right.measure && left.threshold == right.threshold;
                    });
}

bool Same(const Tensor& a, const Tensor& b) {
  return a.id == b.id && Same(a.criteria, b.criteria) && a.layout == b.layout &&
         a.dtype == b.dtype && a.dims == b.dims && a.strides == b.strides && SameRandom(a, b) &&
         a.values.size() == b.values.size() &&
         (a.values.size() == 0 ||
          std::memcmp(a.values.data(), b.values.data(), a.values.size()) == 0);
}

bool Same(const std::vector<Tensor>& a, const std::vector<Tensor>& b) {
  bool is_same = a.size() == b.size();
  for (size_t i = 0; is_same && i < a.size(); ++i) {
    is_same = Same(a[i], b[i]);
  }
  return is_same;
}

bool Same(const Case& a, const Case& b) {
  bool is_same = a.op == b.op && a.expected_status == b.expected_status &&
                 Same(a.inputs, b.inputs) && Same(a.outputs, b.outputs) &&
                 a.parameters.size() == b.parameters.size() && Same(a.criteria, b.criteria);
  for (size_t i = 0; is_same && i < a.parameters.size(); ++i) {
    is_same = SameNumber(a.parameters[i], b.parameters[i]);
  }
  return is_same;
}

void TryCase(const detops::TestFolder& folder, const std::string& path) {
  const Case read = detops::cli::ReadCase(path);
  for (const CaseFormat format : {CaseFormat::kText, CaseFormat::kBinary}) {
    const std::string copy = folder / "copy" + detops::cli::EndingOf(format);
    detops::cli::WriteCase(read, copy, format);
    Require(Same(detops::cli::ReadCase(copy), read),
            "a case changed when it was written and read again");
  }
}

void TryArrays(const detops::TestFolder& folder, const std::string& path) {
  const std::vector<Tensor> read = detops::cli::ReadArrays(path);
  std::vector<const Tensor*> pointers;
  pointers.reserve(read.size());
  for (const Tensor& tensor : read) {
    pointers.push_back(&tensor);
  }
  detops::cli::WriteArrays(folder / "copy.npz", pointers);
  Require(Same(detops::cli::ReadArrays(folder / "copy.npz"), read),
          "arrays changed when they were written and read again");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const detops::TestFolder folder;
  if (size == 0) {
    return 0;
  }
  const std::string_view content(reinterpret_cast<const char*>(data) + 1, size - 1);
  try {
    switch (data[0] % 4) {
      case 0:
        TryCase(folder, folder.Write("a.prototxt", content));
        break;
      case 1:
        TryCase(folder, folder.Write("a.pb", content));
        break;
      case 2:
        TryArrays(folder, folder.Write("a.npy", content));
        break;
      default:
        TryArrays(folder, folder.Write("a.npz", content));
    }
  } catch (const detops::cli::UserError& error) {
    Require(error.what()[0] != '\0' && std::strchr(error.what(), '\n') == nullptr,
            "an error is not one line");
  }
  return 0;
}
