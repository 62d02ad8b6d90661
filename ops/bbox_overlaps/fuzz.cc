// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The reference against every target and several numbers of threads: any differing bit is a defect.

#include <cstring>
#include <vector>

#include "ops/bbox_overlaps/cases.h"
#include "testing/fuzz_everywhere.h"

namespace detops::bbox_overlaps {
namespace {

template <class Element>
bool SameBits(const std::vector<Element>& a, const std::vector<Element>& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(Element)) == 0);
}

// All that is asked about two lists of boxes, and the reference's answers.
class Comparison {
 public:
  Comparison(const Case& input, const Placement& placement)
      : case_(input),
        placement_(placement),
        problem_(input),
        boxes_(problem_.args(nullptr).boxes),
        matrix_(problem_.Expected()),
        maxima_(static_cast<size_t>(boxes_.rows)),
        columns_(maxima_.size()) {
    if (!input.aligned) {
      ReferenceRowMaximum({boxes_, maxima_.data(), columns_.data()});
      ReferencePairs({boxes_, input.threshold, &pairs_});
    }
  }

  void Run(Threads& threads) const {
    RunContext context{threads, nullptr};
    // Without elements there is no call.
    if (case_.count() != 0) {
      CompareMatrix(context);
    }
    // These two compare all with all; aligned boxes may be too many for that.
    if (!case_.aligned) {
      CompareRowMaximum(context);
      ComparePairs(context);
    }
  }

 private:
  void Require(bool is_equal, const char* what) const {
    RequireEqual(is_equal, "bbox_overlaps", what, case_);
  }

  void CompareMatrix(RunContext& context) const {
    const size_t element = case_.half ? 2 : 4;
    const GuardedBuffer ious(matrix_.size(), placement_.BytesBehind(matrix_.size(), element));
    Require(bbox_overlaps::Run(context, problem_.args(ious.data())).ok() &&
                std::memcmp(ious.data(), matrix_.data(), matrix_.size()) == 0,
            "the matrix");
  }

  void CompareRowMaximum(RunContext& context) const {
    const GuardedArray<float> maxima(maxima_.size(), -7, placement_);
    const GuardedArray<int32_t> columns(maxima_.size(), -7, placement_);
    Require(RunRowMaximum(context, {boxes_, maxima.data(), columns.data()}).ok() &&
                SameBits(columns.values(), columns_) && SameBits(maxima.values(), maxima_),
            "the row maximum");
  }

  void ComparePairs(RunContext& context) const {
    std::vector<OverlapPair> pairs;
    Require(RunPairs(context, {boxes_, case_.threshold, &pairs}).ok() && SameBits(pairs, pairs_),
            "the list of pairs");
  }

  const Case& case_;
  const Placement placement_;
  const Problem problem_;
  const Boxes boxes_;
  const std::vector<std::byte> matrix_;
  std::vector<float> maxima_;
  std::vector<int32_t> columns_;
  std::vector<OverlapPair> pairs_;
};

}  // namespace
}  // namespace detops::bbox_overlaps

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  namespace op = detops::bbox_overlaps;
  detops::FuzzBytes bytes(data, size);
  const detops::Placement placement = detops::TakePlacement(bytes);
  const op::Case input = op::CaseFromBytes(bytes);
  const op::Comparison comparison(input, placement);
  detops::Everywhere([&](detops::Threads& threads) { comparison.Run(threads); });
  return 0;
}
