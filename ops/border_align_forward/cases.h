// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Inputs for tests, benchmark and fuzz target.

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
  int64_t channels;  // of one border
  int64_t boxes_per_image;
  int32_t pool_size;
};

enum class Kind {
  kIntegers,  // small integers, boxes on the pixels of the map: every sample is exact, many are
              // equal
  kNetwork,   // as a network's: boxes of any size in and around the map
  kOutside,   // boxes beyond the map, reversed, of no size
  kEdges,     // corners on the edges of what counts and of the map, and on the floats beside them
  kExtremes,  // NaN, infinities, denormals and huge numbers in boxes and map
};

inline constexpr Kind kAllKinds[] = {Kind::kIntegers, Kind::kNetwork, Kind::kOutside, Kind::kEdges,
                                     Kind::kExtremes};

const char* NameOf(Kind kind);

// A call, before it is put into memory of its type. Channels come last; `channels_first` turns the
// input round.
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
  // A call that reads and writes there.
  Args args(const void* input_memory, const void* boxes_memory, void* output,
            int32_t* argmax_idx) const;
  std::string ToString() const;
};

Case RandomCase(Kind kind, const Shape& shape, uint32_t seed);

Case CaseFromBytes(FuzzBytes& bytes);

// A case of one channel, given number by number, with the same map for each border.
Case CaseOf(int64_t height, int64_t width, const std::vector<float>& map,
            const std::vector<float>& boxes, int32_t pool_size);

// The example of the seed, 1.2; SeedsResult is what it gives.
Case SeedsExample();

// Of a case, [N, 4C, H, W].
std::vector<float> ChannelsFirst(const Case& input);

// As the operator reads it: of a half case the nearest half.
float InputAt(const Case& input, int64_t image, int64_t pixel, int64_t border, int64_t channel);

// The samples of a border and channel, written again beside the reference: from the float positions
// on in double, and with whole parts by floor.
std::vector<double> SamplesInDouble(const Case& input, int64_t image, int64_t box, int64_t border,
                                    int64_t channel);

// A case in memory.
class Problem {
 public:
  explicit Problem(const Case& input);

  // The results go to `output` and `argmax_idx`.
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

// What a call wrote, in the order of the results with channels last. NaNs are all the same one.
struct Result {
  std::vector<float> values;
  std::vector<int32_t> samples;  // -1 where nothing was written

  // In all bits.
  bool operator==(const Result& other) const;
};

Result SeedsResult();

// From where a call with problem.args(output, argmax_idx) wrote it. `argmax_idx` may be null.
Result ReadResult(const Case& input, const void* output, const int32_t* argmax_idx);

}  // namespace detops::border_align_forward

#endif  // DETOPS_OPS_BORDER_ALIGN_FORWARD_CASES_H_
