// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Inputs for tests, benchmark and fuzz target.

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
  kIntegers,  // small integers, rois on whole pixels: every sum is exact
  kNetwork,   // rois with sides of 5 to 30% of the map, uniformly placed in it
  kLarge,     // rois of any size in and around the map, many of which cover all of it
  kOutside,   // rois beyond the map, reversed, of no size
  kHalves,    // corners at halves and whole numbers, and on the floats beside them
  kExtremes,  // NaN, infinities, denormals and huge numbers in rois and map
};

inline constexpr Kind kAllKinds[] = {Kind::kIntegers, Kind::kNetwork, Kind::kLarge,
                                     Kind::kOutside,  Kind::kHalves,  Kind::kExtremes};

const char* NameOf(Kind kind);

// A call. Channels come last; `channels_first` turns the input round.
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
  // A call that reads and writes there.
  Args args(const float* input_memory, float* output, int32_t* mapping_channel) const;
  // The input as the call reads it.
  std::vector<float> InputInMemory() const;
  std::string ToString() const;
};

// Corners are of the map's size divided by the scale.
Case RandomCase(Kind kind, const Shape& shape, float scale, uint32_t seed);

Case CaseFromBytes(FuzzBytes& bytes);

// Two images of 2 x 3 pixels, where (image, y, x, c) is 1000 image + 100 y + 10 x + c; two bins
// along each axis and three channels of each. Its results were worked out by hand.
Case ExampleCase();

inline constexpr int32_t kExampleChannels[] = {0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11,  //
                                               0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11,  //
                                               0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11};
inline constexpr float kExampleMeans[] = {
    5,    9,    13,   16,   20,   24,   107,  111,  115,  118,  122,  126,   //
    1120, 1124, 1128, 1121, 1125, 1129, 1122, 1126, 1130, 1123, 1127, 1131,  //
    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0};

// Pixels of a bin.
struct Rectangle {
  int64_t y_begin, y_end, x_begin, x_end;

  bool empty() const { return y_begin >= y_end || x_begin >= x_end; }
  bool operator==(const Rectangle& other) const {
    return y_begin == other.y_begin && y_end == other.y_end && x_begin == other.x_begin &&
           x_end == other.x_end;
  }
};

// Which products are fused with the sums behind them.
enum class Fused { kNone, kSizes, kBegins, kEnds, kAll };

// The bins of a roi, row by row, written again beside the reference; or as they would be if
// products and sums were fused.
std::vector<Rectangle> BinsOf(const Case& input, int64_t roi, Fused fused = Fused::kNone);

// The mean of a channel over the pixels of a bin, in double; 0 of none.
double MeanInDouble(const Case& input, int64_t roi, const Rectangle& bin, int64_t channel);

// What a call wrote, in the order of the results with channels last. NaNs are all the same one.
struct Result {
  Status status;
  std::vector<float> means;
  std::vector<int32_t> channels;  // -1 where nothing was written

  // In all bits.
  bool operator==(const Result& other) const;
};

// From where a call wrote it. `mapping_channel` may be null.
Result ReadResult(const Case& input, const float* output, const int32_t* mapping_channel);

}  // namespace detops::psroipool_forward

#endif  // DETOPS_OPS_PSROIPOOL_FORWARD_CASES_H_
