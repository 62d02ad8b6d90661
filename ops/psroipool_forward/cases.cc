// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "ops/psroipool_forward/cases.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "core/log.h"
#include "measure/channels_first.h"
#include "measure/random_floats.h"

namespace detops::psroipool_forward {
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

// The coordinates of a RoI on one axis.
struct Corners {
  float first, last;
};

// Returns random corners on one axis, on which the map has the length `size` in the coordinates of
// RoIs.
Corners CornersOf(Kind kind, float size, Random& random) {
  const auto anywhere = [&] { return Uniform(random, -0.5f * size, 1.5f * size); };
  switch (kind) {
    case Kind::kIntegers: {
      const float first = std::floor(Uniform(random, -1, size + 1));
      return {first, first + static_cast<float>(random() % 6)};
    }
    case Kind::kNetwork: {
      const float side = Uniform(random, 0.05f, 0.3f) * size;
      const float first = Uniform(random, 0, size - side);
      return {first, first + side};
    }
    case Kind::kLarge:
      return random() % 2 == 0
                 ? Corners{Uniform(random, -2 * size, 0), Uniform(random, size, 9 * size)}
                 : Corners{anywhere(), anywhere()};
    case Kind::kOutside: {
      const float first =
          random() % 2 == 0 ? Uniform(random, -3 * size, 0) : Uniform(random, size, 3 * size);
      return {first, random() % 3 == 0 ? first : anywhere()};
    }
    case Kind::kHalves: {
      const auto half = [&] {
        const float number = std::floor(Uniform(random, -2, 2 * size + 2)) / 2;
        constexpr float kFar = std::numeric_limits<float>::max();
        switch (random() % 3) {
          case 0:
            return std::nextafter(number, -kFar);
          case 1:
            return std::nextafter(number, kFar);
          default:
            return number;
        }
      };
      return {half(), half()};
    }
    case Kind::kExtremes: {
      const auto number = [&] { return random() % 6 == 0 ? SpecialFloat(random) : anywhere(); };
      return {number(), number()};
    }
  }
  return {0, 0};
}

// Returns a * b + c, rounded once or twice.
float ProductAndSum(bool is_fused, float a, float b, float c) {
  if (is_fused) {
    return std::fma(a, b, c);
  }
  const volatile float product = a * b;
  return product + c;
}

// Computes the pixels [begin, end) of bin p along an axis, by the formula in README.md.
void BinAlong(const Case& input, float first, float last, int64_t p, int64_t size, Fused fused,
              int64_t& begin, int64_t& end) {
  const bool all = fused == Fused::kAll;
  const auto groups = static_cast<float>(input.shape.group);
  float from = 0;
  float to = 0;
  float stop = 0;
  int64_t map_end = size;
  if (input.rounding == RoiRounding::kBeforeScaling) {
    const float start = std::round(first) * input.scale;
    stop = (std::round(last) + 1) * input.scale;
    const float stop_minus_start =
        ProductAndSum(all || fused == Fused::kSizes, std::round(last) + 1, input.scale, -start);
    const float bin = std::max(stop_minus_start, 0.1f) / groups;
    from = std::floor(
        ProductAndSum(all || fused == Fused::kBegins, static_cast<float>(p), bin, start));
    to = std::ceil(
        ProductAndSum(all || fused == Fused::kEnds, static_cast<float>(p + 1), bin, start));
  } else {
    const float start = std::round(first * input.scale);
    stop = std::round(last * input.scale);
    const float bin = std::max(stop - start, 1.0f) / groups;
    from = std::floor(static_cast<float>(p) * bin) + start;
    to = std::ceil(static_cast<float>(p + 1) * bin) + start;
    map_end = size - 1;
  }
  const auto clamped = [&](float position) {
    return static_cast<int64_t>(
        std::clamp<double>(static_cast<double>(position), 0, static_cast<double>(map_end)));
  };
  const bool is_finite = std::isfinite(stop) && std::isfinite(from) && std::isfinite(to);
  begin = is_finite ? clamped(from) : 0;
  end = is_finite ? clamped(to) : 0;
}

}  // namespace

const char* NameOf(Kind kind) {
  switch (kind) {
    case Kind::kIntegers:
      return "integers";
    case Kind::kNetwork:
      return "network";
    case Kind::kLarge:
      return "large";
    case Kind::kOutside:
      return "outside";
    case Kind::kHalves:
      return "halves";
    case Kind::kExtremes:
      return "extremes";
  }
  return "?";
}

Args Case::args(const float* input_memory, float* output, int32_t* mapping_channel) const {
  return {.input = input_memory,
          .rois = rois.data(),
          .images = shape.images,
          .height = shape.height,
          .width = shape.width,
          .group = shape.group,
          .dim = shape.dim,
          .roi_count = shape.rois,
          .scale = scale,
          .rounding = rounding,
          .channels_first = channels_first,
          .output = output,
          .mapping_channel = mapping_channel};
}

std::vector<float> Case::InputInMemory() const {
  return channels_first ? ChannelsFirst(input, shape.images, shape.height * shape.width, channels())
                        : input;
}

std::string Case::ToString() const {
  return fmt::format("input [{}, {}, {}, {} * {} * {}], {} rois, scale {}{}{}{}", shape.images,
                     shape.height, shape.width, shape.group, shape.group, shape.dim, shape.rois,
                     scale, rounding == RoiRounding::kAfterScaling ? ", rounded after scaling" : "",
                     channels_first ? ", NCHW" : "", mapping ? "" : ", no channels");
}

Case RandomCase(Kind kind, const Shape& shape, float scale, uint32_t seed) {
  Random random(seed);
  Case input;
  input.shape = shape;
  input.scale = scale;
  input.input.resize(
      static_cast<size_t>(shape.images * shape.height * shape.width * input.channels()));
  for (float& pixel : input.input) {
    pixel = PixelOf(kind, random);
  }
  input.rois.reserve(static_cast<size_t>(shape.rois * kRoiNumbers));
  for (int64_t roi = 0; roi < shape.rois; ++roi) {
    const auto image = static_cast<float>(random() % static_cast<uint32_t>(shape.images));
    const Corners x = CornersOf(kind, static_cast<float>(shape.width) / scale, random);
    const Corners y = CornersOf(kind, static_cast<float>(shape.height) / scale, random);
    input.rois.insert(input.rois.end(), {image, x.first, y.first, x.last, y.last});
  }
  return input;
}

Case CaseFromBytes(FuzzBytes& bytes) {
  const auto kind = kAllKinds[bytes.TakeInRange(0, std::size(kAllKinds) - 1)];
  Shape shape{};
  shape.images = bytes.TakeInRange(1, 3);
  shape.height = bytes.TakeInRange(1, 30);
  shape.width = bytes.TakeInRange(1, 9);
  shape.group = bytes.TakeInRange(1, 7);
  shape.dim = bytes.TakeInRange(1, 20);
  shape.rois = bytes.TakeInRange(1, 30);
  // Rarely use a map that passes through the ring in steps, more channels, or more bins.
  if (bytes.TakeRarely()) {
    shape.images = 1;
    switch (bytes.TakeInRange(0, 2)) {
      case 0:
        shape.height += 50;
        shape.width += 40;
        shape.group = shape.group % 3 + 1;
        break;
      case 1:
        shape.dim += 120;
        shape.group = shape.group % 2 + 1;
        break;
      default:
        shape.group += 10;
        shape.dim = shape.dim % 3 + 1;
    }
  }
  constexpr float kScales[] = {1, 0.0625f, 0.1f, 0.25f, 3, 0.3f, 1e-30f, 1e30f};
  const float scale = kScales[bytes.TakeInRange(0, std::size(kScales) - 1)];
  Case input = RandomCase(kind, shape, scale, bytes.Take<uint16_t>());
  const float any_scale = bytes.TakeFloat();
  if (std::isfinite(any_scale) && any_scale > 0) {
    input.scale = any_scale;
  }
  input.channels_first = bytes.TakeInRange(0, 1) != 0;
  input.rounding =
      bytes.TakeInRange(0, 1) != 0 ? RoiRounding::kAfterScaling : RoiRounding::kBeforeScaling;
  input.mapping = bytes.TakeInRange(0, 3) != 0;
  TakeNumbers(bytes, {&input.rois, &input.input});
  return input;
}

Case ExampleCase() {
  Case input;
  input.shape = {.images = 2, .height = 2, .width = 3, .group = 2, .dim = 3, .rois = 3};
  for (int image = 0; image < 2; ++image) {
    for (int y = 0; y < 2; ++y) {
      for (int x = 0; x < 3; ++x) {
        for (int c = 0; c < 12; ++c) {
          input.input.push_back(static_cast<float>(1000 * image + 100 * y + 10 * x + c));
        }
      }
    }
  }
  input.rois = {0, 0, 0, 2, 1,   // all of image 0
                1, 2, 1, 0, 0,   // reversed: the last pixel of image 1
                0, 9, 9, 9, 9};  // outside
  return input;
}

std::vector<Rectangle> BinsOf(const Case& input, int64_t roi, Fused fused) {
  const float* const numbers = &input.rois[static_cast<size_t>(roi * kRoiNumbers)];
  std::vector<Rectangle> bins;
  for (int64_t ph = 0; ph < input.shape.group; ++ph) {
    for (int64_t pw = 0; pw < input.shape.group; ++pw) {
      Rectangle bin{};
      if (std::all_of(numbers + 1, numbers + kRoiNumbers,
                      [](float number) { return std::isfinite(number); })) {
        BinAlong(input, numbers[2], numbers[4], ph, input.shape.height, fused, bin.y_begin,
                 bin.y_end);
        BinAlong(input, numbers[1], numbers[3], pw, input.shape.width, fused, bin.x_begin,
                 bin.x_end);
      }
      bins.push_back(bin);
    }
  }
  return bins;
}

double MeanInDouble(const Case& input, int64_t roi, const Rectangle& bin, int64_t channel) {
  if (bin.empty()) {
    return 0;
  }
  const auto image = static_cast<int64_t>(input.rois[static_cast<size_t>(roi * kRoiNumbers)]);
  double sum = 0;
  for (int64_t y = bin.y_begin; y < bin.y_end; ++y) {
    for (int64_t x = bin.x_begin; x < bin.x_end; ++x) {
      const int64_t pixel = (image * input.shape.height + y) * input.shape.width + x;
      sum += input.input[static_cast<size_t>(pixel * input.channels() + channel)];
    }
  }
  return sum / static_cast<double>((bin.y_end - bin.y_begin) * (bin.x_end - bin.x_begin));
}

bool Result::operator==(const Result& other) const {
  return status.code() == other.status.code() && status.message() == other.status.message() &&
         channels == other.channels && means.size() == other.means.size() &&
         std::memcmp(means.data(), other.means.data(), means.size() * sizeof(float)) == 0;
}

Result ReadResult(const Case& input, const float* output, const int32_t* mapping_channel) {
  Result result;
  const Shape& shape = input.shape;
  const Args args = input.args(nullptr, nullptr, nullptr);
  result.means.reserve(static_cast<size_t>(input.results()));
  result.channels.reserve(static_cast<size_t>(input.results()));
  for (int64_t roi = 0; roi < shape.rois; ++roi) {
    for (int64_t ph = 0; ph < shape.group; ++ph) {
      for (int64_t pw = 0; pw < shape.group; ++pw) {
        for (int64_t d = 0; d < shape.dim; ++d) {
          const int64_t at = args.OutputOffset(roi, ph, pw, d);
          result.means.push_back(std::isnan(output[at]) ? std::numeric_limits<float>::quiet_NaN()
                                                        : output[at]);
          result.channels.push_back(mapping_channel == nullptr ? -1 : mapping_channel[at]);
        }
      }
    }
  }
  return result;
}

}  // namespace detops::psroipool_forward
