// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Inputs of tests, benchmarks and the fuzz target.

#ifndef DETOPS_OPS_BORDER_ALIGN_FORWARD_CASES_H_
#define DETOPS_OPS_BORDER_ALIGN_FORWARD_CASES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "measure/fuzz_bytes.h"
#include "ops/border_align_forward/op.h"

namespace detops::border_align_forward {

struct Shape {
  int64_t images;
  int64_t height;
  int64_t width;
  int64_t channels;  // per border
  int64_t boxes_per_image;
  int32_t pool_size;
};

struct InputShape {
  int64_t images, height, width, channels;
};

// Returns the shape of a call with an input of [images, height, width, 4 * channels].
constexpr Shape MakeShape(const InputShape& input, int64_t boxes_per_image, int32_t pool_size) {
  return {.images = input.images,
          .height = input.height,
          .width = input.width,
          .channels = input.channels,
          .boxes_per_image = boxes_per_image,
          .pool_size = pool_size};
}

enum class Kind {
  kIntegers,  // small integers, corners on pixels: many samples are equal
  kNetwork,   // like those of a network: boxes of any size in and around the map
  kOutside,   // boxes outside the map, reversed or empty
  kEdges,     // corners at and next to the edges of the map and of the area that is interpolated
  kExtremes,  // NaN, infinities, denormals and huge numbers in boxes and map
};

inline constexpr Kind kAllKinds[] = {Kind::kIntegers, Kind::kNetwork, Kind::kOutside, Kind::kEdges,
                                     Kind::kExtremes};

const char* NameOf(Kind kind);

// A call, independent of how it is stored. `input` and `boxes` are floats, with channels last;
// `half` and `channels_first` say how a Problem stores them.
struct Case {
  Shape shape{};
  std::vector<float> input;
  std::vector<float> boxes;
  bool half = false;
  bool channels_first = false;
  bool argmax = true;

  int64_t results() const {
    return shape.images * shape.boxes_per_image * kBorders * shape.channels;
  }
  // Returns the arguments of a call with this memory.
  Args args(const void* input_memory, const void* boxes_memory, void* output,
            int32_t* argmax_idx) const;
  std::string ToString() const;
};

Case RandomCase(Kind kind, const Shape& shape, uint32_t seed);

Case CaseFromBytes(FuzzBytes& bytes);

// Returns a case with one image and one channel, whose map is the same for each border.
Case CaseOf(int64_t height, int64_t width, const std::vector<float>& map,
            const std::vector<float>& boxes, int32_t pool_size);

// Returns the example of MLU-OPS's design document, section 1.2. SeedsResult() is its result.
Case SeedsExample();

// Returns the input as [N, 4C, H, W].
std::vector<float> ChannelsFirst(const Case& input);

// Returns an element of the input as the operator reads it: rounded to half if the case is half.
float InputAt(const Case& input, int64_t image, int64_t pixel, int64_t border, int64_t channel);

// Returns the samples of a border and channel in double. The positions are the operator's, in
// float; the interpolation is written independently of the reference.
std::vector<double> SamplesInDouble(const Case& input, int64_t image, int64_t box, int64_t border,
                                    int64_t channel);

// A case with its tensors in memory, in the type and layout of the case.
class Problem {
 public:
  explicit Problem(const Case& input);

  // Returns the arguments of a call that writes its results to `output` and `argmax_idx`.
  Args args(void* output, int32_t* argmax_idx) const {
    return case_.args(input_.data(), boxes_.data(), output, argmax_idx);
  }
  int64_t output_bytes() const { return case_.results() * (case_.half ? 2 : 4); }
  const Case& source() const { return case_; }
  const std::vector<std::byte>& input() const { return input_; }
  const std::vector<std::byte>& boxes() const { return boxes_; }

 private:
  Case case_;
  std::vector<std::byte> input_;
  std::vector<std::byte> boxes_;
};

// The results of a call, in channels-last order. All NaNs are replaced by the same one.
struct Result {
  std::vector<float> values;
  std::vector<int32_t> samples;  // all -1 if the call has no argmax_idx

  // Compares bits: 0 and -0 differ.
  bool operator==(const Result& other) const;
};

Result SeedsResult();

// Reads what a call with problem.args(output, argmax_idx) wrote. `argmax_idx` may be null.
Result ReadResult(const Case& input, const void* output, const int32_t* argmax_idx);

}  // namespace detops::border_align_forward

#endif  // DETOPS_OPS_BORDER_ALIGN_FORWARD_CASES_H_
