// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "ops/border_align_forward/cases.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "core/aligned_buffer.h"
#include "core/half.h"
#include "core/log.h"

namespace detops::border_align_forward {
namespace {

using Random = std::mt19937;

float Uniform(Random& random, float low, float high) {
  return std::uniform_real_distribution<float>(low, high)(random);
}

float Special(Random& random) {
  using Limits = std::numeric_limits<float>;
  constexpr float kValues[] = {Limits::quiet_NaN(),
                               Limits::infinity(),
                               -Limits::infinity(),
                               Limits::max(),
                               Limits::lowest(),
                               Limits::denorm_min(),
                               1e20f,
                               -0.0f,
                               65504.0f};
  return kValues[random() % std::size(kValues)];
}

float PixelOf(Kind kind, Random& random) {
  switch (kind) {
    case Kind::kIntegers:
      return static_cast<float>(random() % 9) - 4;
    case Kind::kExtremes:
      return random() % 16 == 0 ? Special(random) : Uniform(random, -1, 1);
    default:
      return Uniform(random, -1, 1);
  }
}

// A coordinate along an axis of the map.
float CoordinateOf(Kind kind, int64_t size, Random& random) {
  const auto last = static_cast<float>(size);
  switch (kind) {
    case Kind::kIntegers:
      return static_cast<float>(random() % static_cast<uint32_t>(size + 2)) - 1;
    case Kind::kNetwork:
      return Uniform(random, -0.1f * last, 1.1f * last);
    case Kind::kOutside:
      // Around both ends of what counts, and beyond.
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
      return random() % 6 == 0 ? Special(random) : Uniform(random, -2, last + 2);
  }
  return 0;
}

std::vector<std::byte> InMemory(const std::vector<float>& numbers, bool half) {
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

// [images][channels][pixels] from [images][pixels][channels].
std::vector<float> TurnRound(const std::vector<float>& from, int64_t images, int64_t pixels,
                             int64_t channels) {
  std::vector<float> to(from.size());
  for (int64_t image = 0; image < images; ++image) {
    const int64_t begin = image * pixels * channels;
    for (int64_t i = 0; i < pixels; ++i) {
      for (int64_t c = 0; c < channels; ++c) {
        to[static_cast<size_t>(begin + c * pixels + i)] =
            from[static_cast<size_t>(begin + i * channels + c)];
      }
    }
  }
  return to;
}

// Runs call(args). The results lie where they may be written line by line.
template <class Call>
Result Collect(const Case& input, const Call& call) {
  const Problem problem(input);
  const AlignedBuffer output(static_cast<size_t>(problem.output_bytes()));
  const AlignedBuffer argmax(static_cast<size_t>(input.results()) * sizeof(int32_t));
  // What is left alone equals no result.
  std::memset(output.data(), 0xA5, static_cast<size_t>(problem.output_bytes()));
  auto* const argmax_idx = input.argmax ? static_cast<int32_t*>(argmax.data()) : nullptr;
  if (argmax_idx != nullptr) {
    std::fill_n(argmax_idx, input.results(), -1);
  }
  call(problem.args(output.data(), argmax_idx));
  return ReadResult(input, output.data(), argmax_idx);
}

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
  return {input_memory,          boxes_memory,    shape.images,
          shape.height,          shape.width,     shape.channels,
          shape.boxes_per_image, shape.pool_size, half,
          channels_first,        output,          argmax_idx};
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
      corners[2] = corners[0];  // no width
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
  Case input = RandomCase(kind, shape, bytes.Take<uint32_t>());
  input.half = bytes.TakeInRange(0, 1) != 0;
  input.channels_first = bytes.TakeInRange(0, 1) != 0;
  input.argmax = bytes.TakeInRange(0, 3) != 0;
  // The fuzzer's own numbers, wherever it likes.
  while (!bytes.empty()) {
    std::vector<float>& tensor = bytes.TakeInRange(0, 1) != 0 ? input.input : input.boxes;
    const size_t at = bytes.Take<uint16_t>() % tensor.size();
    tensor[at] = bytes.Take<float>();
  }
  return input;
}

Problem::Problem(const Case& input)
    : case_(input),
      input_(InMemory(input.channels_first ? TurnRound(input.input, input.shape.images,
                                                       input.shape.height * input.shape.width,
                                                       kBorders * input.shape.channels)
                                           : input.input,
                      input.half)),
      boxes_(InMemory(input.boxes, input.half)) {}

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

Result RunReference(const Case& input) {
  return Collect(input, [](const Args& args) { Reference(args); });
}

Result RunOn(int threads, const Case& input) {
  return Collect(input, [&](const Args& args) {
    Threads limit(threads);
    const AlignedBuffer scratch(ScratchBytes(args, threads));
    RunContext context{limit, scratch.data()};
    if (!Run(context, args).ok()) {
      std::abort();
    }
  });
}

}  // namespace detops::border_align_forward
