// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The fixture of the tests that call mluOpBboxOverlaps.

#ifndef DETOPS_OPS_BBOX_OVERLAPS_TEST_CALLS_H_
#define DETOPS_OPS_BBOX_OVERLAPS_TEST_CALLS_H_

#include <cstdint>
#include <vector>

#include "testing/c_api_fixture.h"

namespace detops::bbox_overlaps {

struct CallOptions {
  bool aligned = false;
  int mode = 0;
  int offset = 0;
};

// The boxes are those of the example in the MLU-OPS design document.
class MluOpBboxOverlaps : public CApiTest {
 protected:
  MluOpBboxOverlaps() : CApiTest("mluOpBboxOverlaps") {}

  void SetShapes(const std::vector<int64_t>& dims1, const std::vector<int64_t>& dims2,
                 const std::vector<int64_t>& ious_dims) {
    desc1_.Set(dims1);
    desc2_.Set(dims2);
    ious_desc_.Set(ious_dims);
  }

  mluOpStatus_t Call(const CallOptions& options = {}) {
    return mluOpBboxOverlaps(handle_, options.mode, options.aligned, options.offset, desc1_,
                             boxes1_.data(), desc2_, boxes2_.data(), ious_desc_, ious_.data());
  }

  void ExpectBadParam(const std::string& why, const CallOptions& options = {}) {
    CApiTest::ExpectBadParam(
        why, [&] { return Call(options); }, ious_);
  }
  void ExpectNotSupported(const std::string& why) {
    CApiTest::ExpectNotSupported(
        why, [&] { return Call(); }, ious_);
  }

  ScopedDescriptor desc1_;
  ScopedDescriptor desc2_;
  ScopedDescriptor ious_desc_;
  std::vector<float> boxes1_ = {0, 0, 10, 10, 10, 10, 20, 20, 32, 32, 38, 42};
  std::vector<float> boxes2_ = {0, 0, 10, 20, 0, 10, 10, 19, 10, 10, 20, 20};
  std::vector<float> ious_ = std::vector<float>(9, -7.0f);
};

}  // namespace detops::bbox_overlaps

#endif  // DETOPS_OPS_BBOX_OVERLAPS_TEST_CALLS_H_
