// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "ops/generate_proposals_v2/cases.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "core/log.h"
#include "measure/channels_first.h"
#include "measure/random_floats.h"

namespace detops::generate_proposals_v2 {
namespace {

std::vector<float> PyramidAnchors(const Shape& shape, float stride, float size) {
  std::vector<float> anchors;
  anchors.reserve(
      static_cast<size_t>(shape.height * shape.width * shape.anchors_per_position * kBoxFloats));
  for (int64_t y = 0; y < shape.height; ++y) {
    for (int64_t x = 0; x < shape.width; ++x) {
      for (int64_t a = 0; a < shape.anchors_per_position; ++a) {
        const float aspect = std::sqrt(std::exp2(static_cast<float>(a % 3 - 1)));
        const float side = std::ldexp(size, static_cast<int>(a / 3));
        const float w = side / aspect;
        const float h = side * aspect;
        const float cx = (static_cast<float>(x) + 0.5f) * stride;
        const float cy = (static_cast<float>(y) + 0.5f) * stride;
        anchors.insert(anchors.end(), {cx - w / 2, cy - h / 2, cx + w / 2, cy + h / 2});
      }
    }
  }
  return anchors;
}

// Fills scores, the sigmoids of logits that are high near objects, and small deltas.
void FillTrained(Case& input, float stride, Random& random) {
  std::normal_distribution<float> normal(0, 1);
  for (int64_t image = 0; image < input.images; ++image) {
    struct Object {
      float x, y, spread;
    };
    std::vector<Object> objects(60);
    for (Object& object : objects) {
      object = {Uniform(random, 0, static_cast<float>(input.width) * stride),
                Uniform(random, 0, static_cast<float>(input.height) * stride),
                Uniform(random, 10, 120)};
    }
    for (int64_t y = 0; y < input.height; ++y) {
      for (int64_t x = 0; x < input.width; ++x) {
        float peak = 0;
        for (const Object& object : objects) {
          const float dx = ((static_cast<float>(x) + 0.5f) * stride - object.x) / object.spread;
          const float dy = ((static_cast<float>(y) + 0.5f) * stride - object.y) / object.spread;
          peak = std::max(peak, std::exp(-(dx * dx + dy * dy)));
        }
        for (int64_t a = 0; a < input.anchors_per_position; ++a) {
          const float logit = -6 + 9 * peak + 1.5f * normal(random);
          input.scores.push_back(1 / (1 + std::exp(-logit)));
          for (int i = 0; i < 4; ++i) {
            input.deltas.push_back(0.1f * normal(random));
          }
        }
      }
    }
  }
}

float ScoreOf(Kind kind, Random& random) {
  switch (kind) {
    case Kind::kTies:
      return static_cast<float>(random() % 4) / 4;
    case Kind::kSkewed:
      return random() % 1000 == 0 ? Uniform(random, -1e6f, 1e6f)
                                  : 0.25f + static_cast<float>(random() % 50) * 0x1p-25f;
    case Kind::kExtremes:
      return random() % 8 == 0 ? SpecialFloat(random) : Uniform(random, -1, 1);
    default:
      return Uniform(random, 0, 1);
  }
}

void FillRandom(Case& input, Kind kind, Random& random) {
  const int64_t count = input.images * input.scores_per_image();
  for (int64_t i = 0; i < count; ++i) {
    input.scores.push_back(ScoreOf(kind, random));
    for (int component = 0; component < 4; ++component) {
      input.deltas.push_back(kind == Kind::kExtremes && random() % 16 == 0
                                 ? SpecialFloat(random)
                                 : Uniform(random, -1, 1));
    }
  }
}

void AddExtremes(std::vector<float>& values, Random& random) {
  for (float& value : values) {
    value = random() % 32 == 0 ? SpecialFloat(random) : value;
  }
}

uint32_t BitsOf(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

bool SameFloats(const std::vector<float>& a, const std::vector<float>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](float x, float y) { return BitsOf(x) == BitsOf(y); });
}

}  // namespace

Case Case::ChannelsFirst() const {
  Case result = *this;
  const int64_t positions = height * width;
  result.scores = detops::ChannelsFirst(scores, images, positions, anchors_per_position);
  result.deltas =
      detops::ChannelsFirst(deltas, images, positions, anchors_per_position * kBoxFloats);
  result.channels_first = true;
  return result;
}

std::string Case::ToString() const {
  return fmt::format("{} x {} x {} x {}{}, pre {}, post {}, thresh {}, min_size {}, offset {}{}",
                     images, height, width, anchors_per_position,
                     channels_first ? " channels first" : "", pre_nms_top_n, post_nms_top_n,
                     nms_thresh, min_size, pixel_offset, variances.empty() ? "" : ", variances");
}

const char* NameOf(Kind kind) {
  switch (kind) {
    case Kind::kTrained:
      return "trained";
    case Kind::kUniform:
      return "uniform";
    case Kind::kTies:
      return "ties";
    case Kind::kSkewed:
      return "skewed";
    case Kind::kExtremes:
      return "extremes";
  }
  return "?";
}

float StrideOf(int64_t height) {
  float stride = 4;
  for (int64_t rows = 160; rows > height && stride < 64; rows /= 2) {
    stride *= 2;
  }
  return stride;
}

const std::vector<Shape>& NetworkShapes() {
  static const std::vector<Shape> shapes = {
      {1, 54, 40, 15},  {1, 48, 48, 15},  {1, 42, 56, 15},  {1, 40, 61, 15},  {1, 44, 59, 15},
      {1, 59, 44, 15},  {1, 42, 64, 15},  {1, 48, 64, 15},  {1, 50, 68, 3},   {1, 160, 216, 3},
      {1, 50, 76, 3},   {1, 160, 248, 3}, {1, 176, 240, 3}, {1, 168, 256, 3}, {1, 184, 248, 3},
      {1, 248, 184, 3}, {1, 176, 264, 3}, {1, 22, 22, 3},   {1, 264, 192, 3}, {1, 20, 27, 3},
      {1, 200, 272, 3}, {1, 200, 304, 3}, {1, 20, 31, 3},   {1, 22, 30, 3},   {1, 21, 32, 3},
      {1, 23, 31, 3},   {1, 31, 23, 3},   {1, 22, 33, 3},   {1, 88, 88, 3},   {1, 33, 24, 3},
      {1, 25, 34, 3},   {1, 80, 108, 3},  {1, 25, 38, 3},   {1, 80, 124, 3},  {1, 88, 120, 3},
      {1, 84, 128, 3},  {1, 124, 92, 3},  {1, 92, 124, 3},  {1, 88, 132, 3},  {1, 11, 11, 3},
      {1, 132, 96, 3},  {1, 100, 136, 3}, {1, 10, 14, 3},   {1, 100, 152, 3}, {1, 10, 16, 3},
      {1, 11, 15, 3},   {1, 11, 16, 3},   {1, 11, 17, 3},   {1, 12, 16, 3},   {1, 16, 12, 3},
      {1, 44, 44, 3},   {1, 17, 12, 3},   {1, 40, 54, 3},   {1, 13, 17, 3},   {1, 13, 19, 3},
      {1, 40, 62, 3},   {1, 44, 60, 3},   {1, 42, 64, 3},   {1, 46, 62, 3},   {1, 62, 46, 3},
      {1, 44, 66, 3},   {1, 176, 176, 3}, {1, 66, 48, 3}};
  return shapes;
}

Case RandomCase(Kind kind, const Shape& shape, float stride, float size, uint32_t seed) {
  Random random(seed);
  Case input;
  input.images = shape.images;
  input.height = shape.height;
  input.width = shape.width;
  input.anchors_per_position = shape.anchors_per_position;
  input.anchors = PyramidAnchors(shape, stride, size);
  if (kind == Kind::kTrained) {
    FillTrained(input, stride, random);
  } else {
    FillRandom(input, kind, random);
  }
  for (int64_t image = 0; image < shape.images; ++image) {
    input.im_shape.push_back(static_cast<float>(shape.height) * stride);
    input.im_shape.push_back(static_cast<float>(shape.width) * stride);
  }
  input.variances.assign(input.anchors.size(), 1.0f);
  if (kind == Kind::kExtremes) {
    AddExtremes(input.anchors, random);
    AddExtremes(input.variances, random);
    AddExtremes(input.im_shape, random);
  }
  return input;
}

Case CaseOfBoxes(const std::vector<float>& boxes, const std::vector<float>& scores) {
  Case input;
  input.width = static_cast<int64_t>(scores.size());
  input.scores = scores;
  input.deltas.assign(boxes.size(), 0.0f);
  input.im_shape.assign(2, std::numeric_limits<float>::infinity());
  input.anchors = boxes;
  return input;
}

Case CaseFromBytes(FuzzBytes& bytes) {
  const auto kind = static_cast<Kind>(bytes.TakeInRange(0, 4));
  Shape shape{bytes.TakeInRange(1, 3), bytes.TakeInRange(1, 24), bytes.TakeInRange(1, 24),
              bytes.TakeInRange(1, 9)};
  // Rarely, more images than are processed at the same time, or more scores than fit in one part.
  if (bytes.TakeRarely()) {
    if (bytes.TakeInRange(0, 1) != 0) {
      shape.images += 14;
      shape.height = shape.height % 6 + 1;
    } else {
      shape.images = 1;
      shape.height += 50;
      shape.width += 30;
    }
  }
  const auto stride = static_cast<float>(bytes.TakeInRange(1, 32));
  const auto size = static_cast<float>(bytes.TakeInRange(1, 255));
  Case input = RandomCase(kind, shape, stride, size, bytes.Take<uint16_t>());
  input.pre_nms_top_n = bytes.Take<int16_t>();
  input.post_nms_top_n = bytes.TakeInRange(1, 255) * (bytes.TakeInRange(0, 1) != 0 ? 4 : 1);
  constexpr float kThresholds[] = {1e-30f, 0.01f, 0.3f, 0.5f, 0.7f, 0.99f, 1.0f, 2.0f};
  const int threshold = bytes.TakeInRange(0, 15);
  input.nms_thresh =
      threshold < 8 ? kThresholds[threshold] : (bytes.Take<uint16_t>() + 1) * 0x1p-16f;
  const float min_size = bytes.TakeFloat();
  input.min_size = std::isnan(min_size) ? 0.1f : min_size;
  input.pixel_offset = bytes.TakeInRange(0, 1) != 0;
  input.wants_anchors = bytes.TakeInRange(0, 3) != 0;
  if (bytes.TakeInRange(0, 3) == 0) {
    input.variances.clear();
  }
  TakeNumbers(bytes,
              {&input.scores, &input.deltas, &input.anchors, &input.im_shape, &input.variances});
  return input;
}

Proposals::Proposals(const Case& input)
    : rois(static_cast<size_t>(input.rows() * kBoxFloats), kUntouched),
      probs(static_cast<size_t>(input.rows()), kUntouched),
      anchor_indices(static_cast<size_t>(input.rows()), kUntouched),
      counts(static_cast<size_t>(input.images), kUntouched) {}

bool Proposals::operator==(const Proposals& other) const {
  return SameFloats(rois, other.rois) && SameFloats(probs, other.probs) &&
         anchor_indices == other.anchor_indices && counts == other.counts && total == other.total;
}

Args MakeArgs(const Case& input, Proposals& proposals) {
  const int64_t candidates = CandidatesOf(input.scores_per_image(), input.pre_nms_top_n);
  return {.scores = input.scores.data(),
          .bbox_deltas = input.deltas.data(),
          .im_shape = input.im_shape.data(),
          .anchors = input.anchors.data(),
          .variances = input.variances.empty() ? nullptr : input.variances.data(),
          .images = input.images,
          .positions = input.height * input.width,
          .anchors_per_position = input.anchors_per_position,
          .channels_first = input.channels_first,
          .candidates = candidates,
          .max_proposals = std::min<int64_t>(input.post_nms_top_n, candidates),
          .nms_thresh = input.nms_thresh,
          .least_size = std::max(input.min_size, 1.0f),
          .pixel_offset = input.pixel_offset,
          .rois = proposals.rois.data(),
          .probs = proposals.probs.data(),
          .anchor_indices = input.wants_anchors ? proposals.anchor_indices.data() : nullptr,
          .counts = proposals.counts.data(),
          .total = &proposals.total,
          .workspace = nullptr};
}

}  // namespace detops::generate_proposals_v2
