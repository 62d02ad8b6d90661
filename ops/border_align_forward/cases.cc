// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "ops/border_align_forward/cases.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "core/half.h"
#include "core/log.h"
#include "measure/channels_first.h"
#include "measure/random_floats.h"

namespace detops::border_align_forward {
namespace {

float PixelOf(Kind kind, Random& random) {
  switch (kind) {
    case Kind::kIntegers:
      return static_cast<float>(random() % 9) - 4;
    case Kind::kExtremes:
      return random() % 16 == 0 ? SpecialFloat(random) : Uniform(random, -1, 1);
    default:
      return Uniform(random, -1, 1);
  }
}

// Returns a random coordinate of a box along an axis of the map, which has `size` pixels.
float CoordinateOf(Kind kind, int64_t size, Random& random) {
  const auto last = static_cast<float>(size);
  switch (kind) {
    case Kind::kIntegers:
      return static_cast<float>(random() % static_cast<uint32_t>(size + 2)) - 1;
    case Kind::kNetwork:
      return Uniform(random, -0.1f * last, 1.1f * last);
    case Kind::kOutside:
      // Around both ends of the area that is interpolated, and further outside.
      return random() % 2 == 0 ? Uniform(random, -3, last + 3)
                               : (random() % 2 == 0 ? -1 : last) + Uniform(random, -0.01f, 0.01f);
    case Kind::kEdges: {
      const float edges[] = {-1, 0, last - 1, last};
      const float edge = edges[random() % std::size(edges)];
      constexpr float kFar = std::numeric_limits<float>::max();
      switch (random() % 4) {
        case 0:
          return std::nextafter(edge, -kFar);
        case 1:
          return std::nextafter(edge, kFar);
        default:
          return edge == 0 && random() % 2 == 0 ? -0.0f : edge;
      }
    }
    case Kind::kExtremes:
      return random() % 6 == 0 ? SpecialFloat(random) : Uniform(random, -2, last + 2);
  }
  return 0;
}

// Returns the numbers as they are stored, as float or half.
std::vector<std::byte> ToBytes(const std::vector<float>& numbers, bool half) {
  std::vector<std::byte> bytes(numbers.size() * (half ? sizeof(Half) : sizeof(float)));
  for (size_t i = 0; i < numbers.size(); ++i) {
    if (half) {
      const Half value = FloatToHalf(numbers[i]);
      std::memcpy(&bytes[i * sizeof(value)], &value, sizeof(value));
    } else {
      std::memcpy(&bytes[i * sizeof(float)], &numbers[i], sizeof(float));
    }
  }
  return bytes;
}

// Returns the sample at (x, y). value(pixel) returns an element of the map.
template <class Value>
double InterpolateInDouble(const Shape& shape, float x, float y, const Value& value) {
  if (!(x >= -1 && x <= static_cast<float>(shape.width) && y >= -1 &&
        y <= static_cast<float>(shape.height))) {
    return 0;
  }
  const double inside_x = std::clamp<double>(x, 0, static_cast<double>(shape.width - 1));
  const double inside_y = std::clamp<double>(y, 0, static_cast<double>(shape.height - 1));
  double sample = 0;
  for (const int64_t down : {0, 1}) {
    for (const int64_t right : {0, 1}) {
      const double column = std::floor(inside_x) + static_cast<double>(right);
      const double row = std::floor(inside_y) + static_cast<double>(down);
      const double weight = (1 - std::abs(inside_x - column)) * (1 - std::abs(inside_y - row));
      if (weight != 0) {  // otherwise the pixel may be outside the map
        sample +=
            weight * value(static_cast<int64_t>(row) * shape.width + static_cast<int64_t>(column));
      }
    }
  }
  return sample;
}

// SeedsExample(): one channel per border, channels first.
constexpr float kExampleMap[4][3][4] = {{{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}},
                                        {{6, 7, 5, 8}, {2, 1, 3, 4}, {12, 9, 11, 10}},
                                        {{-2, -3, 2, 0}, {-4, -5, 1, -1}, {-1, -1, -1, -1}},
                                        {{0, -1, 2, 1}, {-4, -3, -2, -1}, {-1, -2, -3, -4}}};
constexpr float kExampleBoxes[12][4] = {{0, 0, 2, 1}, {1, 0, 3, 1}, {1, 0, 2, 1}, {0, 0, 3, 1},
                                        {0, 0, 1, 2}, {0, 0, 2, 2}, {1, 0, 2, 1}, {1, 0, 3, 1},
                                        {0, 1, 1, 2}, {0, 0, 3, 2}, {1, 0, 3, 2}, {2, 0, 3, 2}};
constexpr float kExampleValues[48] = {3, 6,  1,  2,  4, 7,  -1, 1, 3, 7, 1,  2, 4, 6,  -1, 1,
                                      2, 12, -1, -1, 3, 12, -1, 2, 3, 7, 1,  2, 4, 7,  -1, 1,
                                      6, 12, -1, -2, 4, 12, -1, 1, 4, 9, -1, 1, 4, 11, -1, 1};
constexpr int32_t kExampleSamples[48] = {1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1,
                                         1, 1, 0, 1, 1, 1, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1,
                                         1, 1, 0, 0, 1, 1, 0, 1, 1, 1, 0, 1, 1, 1, 0, 1};

}  // namespace

const char* NameOf(Kind kind) {
  switch (kind) {
    case Kind::kIntegers:
      return "integers";
    case Kind::kNetwork:
      return "network";
    case Kind::kOutside:
      return "outside";
    case Kind::kEdges:
      return "edges";
    case Kind::kExtremes:
      return "extremes";
  }
  return "?";
}

Args Case::args(const void* input_memory, const void* boxes_memory, void* output,
                int32_t* argmax_idx) const {
  return {.input = input_memory,
          .boxes = boxes_memory,
          .images = shape.images,
          .height = shape.height,
          .width = shape.width,
          .channels = shape.channels,
          .boxes_per_image = shape.boxes_per_image,
          .pool_size = shape.pool_size,
          .half = half,
          .channels_first = channels_first,
          .output = output,
          .argmax_idx = argmax_idx};
}

std::string Case::ToString() const {
  return fmt::format("input [{}, {}, {}, 4 * {}], {} boxes, pool_size {}{}{}{}", shape.images,
                     shape.height, shape.width, shape.channels, shape.boxes_per_image,
                     shape.pool_size, half ? ", half" : "", channels_first ? ", NCHW" : "",
                     argmax ? "" : ", no argmax");
}

Case RandomCase(Kind kind, const Shape& shape, uint32_t seed) {
  Random random(seed);
  Case input;
  input.shape = shape;
  input.input.resize(
      static_cast<size_t>(shape.images * shape.height * shape.width * kBorders * shape.channels));
  for (float& pixel : input.input) {
    pixel = PixelOf(kind, random);
  }
  for (int64_t box = 0; box < shape.images * shape.boxes_per_image; ++box) {
    float corners[kBoxNumbers];
    for (int64_t i = 0; i < kBoxNumbers; ++i) {
      corners[i] = CoordinateOf(kind, i % 2 == 0 ? shape.width : shape.height, random);
    }
    if (kind == Kind::kNetwork) {
      corners[2] = std::max(corners[0], corners[2]);
      corners[3] = std::max(corners[1], corners[3]);
    } else if (random() % 8 == 0) {
      corners[2] = corners[0];  // width 0
    }
    input.boxes.insert(input.boxes.end(), corners, corners + kBoxNumbers);
  }
  return input;
}

Case CaseFromBytes(FuzzBytes& bytes) {
  const auto kind = kAllKinds[bytes.TakeInRange(0, std::size(kAllKinds) - 1)];
  Shape shape{};
  shape.images = bytes.TakeInRange(1, 3);
  shape.height = bytes.TakeInRange(1, 20);
  shape.width = bytes.TakeInRange(1, 20);
  shape.channels = bytes.TakeInRange(1, 80);
  shape.boxes_per_image = bytes.TakeInRange(1, 12);
  shape.pool_size = bytes.TakeInRange(1, 70);
  // Rarely, a map that is too large for a plane with all channels, more channels than a block has,
  // or more boxes.
  if (bytes.TakeRarely()) {
    shape.images = 1;
    switch (bytes.TakeInRange(0, 2)) {
      case 0:
        shape.channels = shape.channels % 20 + 1;
        shape.height += 110;
        shape.width += 120;
        shape.boxes_per_image *= 8;
        break;
      case 1:
        shape.channels += 250;
        shape.height = shape.height % 5 + 1;
        break;
      default:
        shape.channels = shape.channels % 7 + 1;
        shape.boxes_per_image *= 20;
    }
  }
  Case input = RandomCase(kind, shape, bytes.Take<uint16_t>());
  input.half = bytes.TakeInRange(0, 1) != 0;
  input.channels_first = bytes.TakeInRange(0, 1) != 0;
  input.argmax = bytes.TakeInRange(0, 3) != 0;
  TakeNumbers(bytes, {&input.boxes, &input.input});
  return input;
}

Case CaseOf(int64_t height, int64_t width, const std::vector<float>& map,
            const std::vector<float>& boxes, int32_t pool_size) {
  Case input;
  input.shape = {.images = 1,
                 .height = height,
                 .width = width,
                 .channels = 1,
                 .boxes_per_image = static_cast<int64_t>(boxes.size()) / kBoxNumbers,
                 .pool_size = pool_size};
  for (const float pixel : map) {
    input.input.insert(input.input.end(), kBorders, pixel);
  }
  input.boxes = boxes;
  return input;
}

Case SeedsExample() {
  Case input;
  input.shape = {
      .images = 1, .height = 3, .width = 4, .channels = 1, .boxes_per_image = 12, .pool_size = 1};
  for (int y = 0; y < 3; ++y) {
    for (int x = 0; x < 4; ++x) {
      for (const auto& border : kExampleMap) {
        input.input.push_back(border[y][x]);
      }
    }
  }
  input.boxes.assign(kExampleBoxes[0], kExampleBoxes[0] + 48);
  return input;
}

Result SeedsResult() {
  return {{std::begin(kExampleValues), std::end(kExampleValues)},
          {std::begin(kExampleSamples), std::end(kExampleSamples)}};
}

std::vector<float> ChannelsFirst(const Case& input) {
  return detops::ChannelsFirst(input.input, input.shape.images,
                               input.shape.height * input.shape.width,
                               kBorders * input.shape.channels);
}

float InputAt(const Case& input, int64_t image, int64_t pixel, int64_t border, int64_t channel) {
  const Shape& shape = input.shape;
  const float value = input.input[static_cast<size_t>((image * shape.height * shape.width + pixel) *
                                                          kBorders * shape.channels +
                                                      border * shape.channels + channel)];
  return input.half ? HalfToFloat(FloatToHalf(value)) : value;
}

std::vector<double> SamplesInDouble(const Case& input, int64_t image, int64_t box, int64_t border,
                                    int64_t channel) {
  const Shape& shape = input.shape;
  float corners[kBoxNumbers];
  for (int64_t i = 0; i < kBoxNumbers; ++i) {
    const float corner =
        input.boxes[static_cast<size_t>((image * shape.boxes_per_image + box) * kBoxNumbers + i)];
    corners[i] = input.half ? HalfToFloat(FloatToHalf(corner)) : corner;
  }
  const auto [x1, y1, x2, y2] = corners;
  const float width = x2 - x1;
  const float height = y2 - y1;
  const auto steps = static_cast<float>(shape.pool_size);
  const float starts[kBorders][2] = {{x1, y1}, {x1, y1}, {x2, y2}, {x2, y2}};
  const float moves[kBorders][2] = {
      {width / steps, 0}, {0, height / steps}, {-width / steps, 0}, {0, -height / steps}};
  float x = starts[border][0];
  float y = starts[border][1];
  std::vector<double> samples;
  for (int i = 0; i <= shape.pool_size; ++i) {
    samples.push_back(InterpolateInDouble(
        shape, x, y, [&](int64_t pixel) { return InputAt(input, image, pixel, border, channel); }));
    x += moves[border][0];
    y += moves[border][1];
  }
  return samples;
}

Problem::Problem(const Case& input)
    : case_(input),
      input_(ToBytes(input.channels_first ? ChannelsFirst(input) : input.input, input.half)),
      boxes_(ToBytes(input.boxes, input.half)) {}

bool Result::operator==(const Result& other) const {
  return samples == other.samples && values.size() == other.values.size() &&
         std::memcmp(values.data(), other.values.data(), values.size() * sizeof(float)) == 0;
}

Result ReadResult(const Case& input, const void* output, const int32_t* argmax_idx) {
  Result result;
  const Shape& shape = input.shape;
  const Args args = input.args(nullptr, nullptr, nullptr, nullptr);
  for (int64_t image = 0; image < shape.images; ++image) {
    for (int64_t box = 0; box < shape.boxes_per_image; ++box) {
      for (int64_t border = 0; border < kBorders; ++border) {
        for (int64_t channel = 0; channel < shape.channels; ++channel) {
          const int64_t at = args.OutputOffset(image, box, border, channel);
          const float value = input.half ? HalfToFloat(static_cast<const Half*>(output)[at])
                                         : static_cast<const float*>(output)[at];
          result.values.push_back(std::isnan(value) ? std::numeric_limits<float>::quiet_NaN()
                                                    : value);
          result.samples.push_back(argmax_idx == nullptr ? -1 : argmax_idx[at]);
        }
      }
    }
  }
  return result;
}

}  // namespace detops::border_align_forward
