// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Inputs for the tests, the benchmark, the command and the fuzz target.

#ifndef DETOPS_OPS_PSROIPOOL_FORWARD_CASES_H_
#define DETOPS_OPS_PSROIPOOL_FORWARD_CASES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "measure/fuzz_bytes.h"
#include "ops/psroipool_forward/op.h"

namespace detops::psroipool_forward {

struct Shape {
  int64_t images;
  int64_t height;
  int64_t width;
  int64_t group;
  int64_t dim;
  int64_t rois;
};

enum class Kind {
  kIntegers,  // small integers, RoIs at integers: every sum is exact
  kNetwork,   // RoIs with sides of 5 to 30% of the map, uniformly placed in it
  kLarge,     // RoIs of any size in and around the map, many of which cover it
  kOutside,   // RoIs outside the map, reversed or empty
  kHalves,    // corners at integers and halves, and at the floats next to them
  kExtremes,  // NaN, infinities, denormals and huge values in RoIs and map
};

inline constexpr Kind kAllKinds[] = {Kind::kIntegers, Kind::kNetwork, Kind::kLarge,
                                     Kind::kOutside,  Kind::kHalves,  Kind::kExtremes};

const char* NameOf(Kind kind);

// A call. `input` has the channels last; with `channels_first`, the call reads a transposed copy.
struct Case {
  Shape shape{};
  float scale = 1;
  std::vector<float> input;
  std::vector<float> rois;
  RoiRounding rounding = RoiRounding::kBeforeScaling;
  bool channels_first = false;
  bool mapping = true;

  int64_t channels() const { return shape.group * shape.group * shape.dim; }
  int64_t results() const { return shape.rois * channels(); }
  // Returns the arguments of a call that uses this memory.
  Args args(const float* input_memory, float* output, int32_t* mapping_channel) const;
  // Returns the input in the layout that the call reads.
  std::vector<float> InputInMemory() const;
  std::string ToString() const;
};

// The coordinates of the RoIs are relative to the size of the map divided by the scale.
Case RandomCase(Kind kind, const Shape& shape, float scale, uint32_t seed);

Case CaseFromBytes(FuzzBytes& bytes);

// Returns two images of 2 x 3 pixels, where (image, y, x, c) is 1000 image + 100 y + 10 x + c, with
// 2 x 2 bins of three channels each. The expected results were worked out by hand.
Case ExampleCase();

inline constexpr int32_t kExampleChannels[] = {0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11,  //
                                               0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11,  //
                                               0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11};
inline constexpr float kExampleMeans[] = {
    5,    9,    13,   16,   20,   24,   107,  111,  115,  118,  122,  126,   //
    1120, 1124, 1128, 1121, 1125, 1129, 1122, 1126, 1130, 1123, 1127, 1131,  //
    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0};

// The pixels of a bin.
struct Rectangle {
  int64_t y_begin, y_end, x_begin, x_end;

  bool empty() const { return y_begin >= y_end || x_begin >= x_end; }
  bool operator==(const Rectangle& other) const {
    return y_begin == other.y_begin && y_end == other.y_end && x_begin == other.x_begin &&
           x_end == other.x_end;
  }
};

// Which products are fused with the additions that follow them.
enum class Fused { kNone, kSizes, kBegins, kEnds, kAll };

// Returns the bins of a RoI, row by row, computed independently of the reference; or as they would
// be if products and sums were fused.
std::vector<Rectangle> BinsOf(const Case& input, int64_t roi, Fused fused = Fused::kNone);

// Returns the mean of a channel over the pixels of a bin, in double; 0 if the bin is empty.
double MeanInDouble(const Case& input, int64_t roi, const Rectangle& bin, int64_t channel);

// The results of a call, in the order of channels-last results. All NaNs have the same bits.
struct Result {
  Status status;
  std::vector<float> means;
  std::vector<int32_t> channels;  // -1 where nothing was written

  // Compares all bits.
  bool operator==(const Result& other) const;
};

// Reads the results of a call. `mapping_channel` may be null.
Result ReadResult(const Case& input, const float* output, const int32_t* mapping_channel);

}  // namespace detops::psroipool_forward

#endif  // DETOPS_OPS_PSROIPOOL_FORWARD_CASES_H_
