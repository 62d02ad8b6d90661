// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/operator_parts.h"
#include "cli/scene_picture.h"
#include "core/math.h"
#include "measure/random_floats.h"
#include "ops/psroipool_forward/op.h"

namespace detops::psroipool_forward {
namespace {

using Box = std::array<float, 4>;

constexpr int kStride = 16;  // image pixels per map pixel
constexpr int64_t kGroup = 3;
constexpr int64_t kBins = kGroup * kGroup;
constexpr int64_t kLabels = 2;
constexpr size_t kMaxRois = 40;

// Number of proposals in the picture.
constexpr size_t kBestShown = 7;
constexpr size_t kWorstShown = 2;

constexpr const char* kLabelNames[kLabels] = {"ship", "vehicle"};
constexpr std::string_view kLabelColors[kLabels] = {"#1d5fbf", "#b8500a"};

// ---- The call -----------------------------------------------------------------------------------

// Returns a network's score for "this point is that part of the object". It is highest at the
// part's center; a part is never smaller than a pixel of the map.
float ScoreOf(const Box& bounds, float x, float y, int64_t ph, int64_t pw) {
  constexpr float kSharpness = 0.8f;
  const auto distance = [](float begin, float end, float at, int64_t part) {
    const float size = (end - begin) / kGroup;
    const float center = begin + (static_cast<float>(part) + 0.5f) * size;
    return (at - center) / std::max<float>(size, kStride);
  };
  const float across = distance(bounds[0], bounds[2], x, pw);
  const float down = distance(bounds[1], bounds[3], y, ph);
  return std::exp(-kSharpness * (across * across + down * down));
}

// Returns the best score of a pixel of the map over all objects with the label.
float BestScore(const cli::Scene& scene, int64_t column, int64_t row, int64_t label, int64_t ph,
                int64_t pw) {
  const float x = (static_cast<float>(column) + 0.5f) * kStride;
  const float y = (static_cast<float>(row) + 0.5f) * kStride;
  float best = 0;
  for (const cli::SceneObject& object : scene.objects) {
    if (object.label == label) {
      best = std::max(best, ScoreOf(object.Bounds(), x, y, ph, pw));
    }
  }
  return best;
}

// Returns the score maps of a network: one channel per label and part of an object.
cli::Tensor MakeMap(const cli::Scene& scene) {
  const int64_t height = CeilDiv<int64_t>(scene.height, kStride);
  const int64_t width = CeilDiv<int64_t>(scene.width, kStride);
  std::vector<float> scores;
  for (int64_t y = 0; y < height; ++y) {
    for (int64_t x = 0; x < width; ++x) {
      for (int64_t channel = 0; channel < kLabels * kBins; ++channel) {
        scores.push_back(
            BestScore(scene, x, y, channel / kBins, channel / kGroup % kGroup, channel % kGroup));
      }
    }
  }
  return cli::TensorOf(MLUOP_DTYPE_FLOAT, {1, height, width, kLabels * kBins}, scores,
                       MLUOP_LAYOUT_NHWC);
}

// Returns what an earlier step would have proposed: every object several times, with growing
// errors.
std::vector<Box> DisturbedBounds(const cli::Scene& scene) {
  Random random(30);
  std::vector<Box> boxes;
  for (size_t i = 0; i < kMaxRois && !scene.objects.empty(); ++i) {
    const size_t round = i / scene.objects.size();
    const Box bounds = scene.objects[i % scene.objects.size()].Bounds();
    const float reach = 0.05f + 0.2f * static_cast<float>(round);
    const float dx = Uniform(random, -reach, reach) * (bounds[2] - bounds[0]);
    const float dy = Uniform(random, -reach, reach) * (bounds[3] - bounds[1]);
    boxes.push_back({bounds[0] + dx, bounds[1] + dy, bounds[2] + dx, bounds[3] + dy});
  }
  return boxes;
}

// Returns the best proposals, in image pixels.
std::vector<Box> ProposalsOf(const cli::Scene& scene) {
  std::vector<Box> boxes;
  const auto found = scene.tensors.find("proposals");
  if (found != scene.tensors.end()) {
    const auto* const numbers = found->second.as<float>();
    for (int64_t i = 0; i < found->second.count() && boxes.size() < kMaxRois; i += 4) {
      boxes.push_back({numbers[i], numbers[i + 1], numbers[i + 2], numbers[i + 3]});
    }
  }
  return boxes.empty() ? DisturbedBounds(scene) : boxes;
}

// ---- The picture --------------------------------------------------------------------------------

std::vector<Box> BoxesOf(const cli::Tensor& rois) {
  std::vector<Box> boxes;
  for (int64_t i = 0; i < rois.count(); i += kRoiNumbers) {
    const auto* const corners = rois.as<float>() + i + 1;
    boxes.push_back({corners[0], corners[1], corners[2], corners[3]});
  }
  return boxes;
}

// The label with the highest mean score over all bins of a proposal.
struct Verdict {
  size_t roi;
  int64_t label;
  float score;
};

// Returns the mean over the bins, [R, labels].
cli::Tensor ScoresOf(const cli::Tensor& output) {
  const int64_t rois = output.dims[0];
  std::vector<float> scores(static_cast<size_t>(rois * kLabels));
  for (int64_t i = 0; i < output.count(); ++i) {
    const int64_t at = i / (kBins * kLabels) * kLabels + i % kLabels;
    scores[static_cast<size_t>(at)] += output.as<float>()[i] / kBins;
  }
  return cli::TensorOf(MLUOP_DTYPE_FLOAT, {rois, kLabels}, scores);
}

// Returns the verdict on each proposal, by descending score.
std::vector<Verdict> VerdictsOf(const cli::Tensor& scores) {
  std::vector<Verdict> verdicts;
  for (int64_t roi = 0; roi < scores.dims[0]; ++roi) {
    const auto* const of_roi = scores.as<float>() + roi * kLabels;
    const int64_t label = std::max_element(of_roi, of_roi + kLabels) - of_roi;
    verdicts.push_back({static_cast<size_t>(roi), label, of_roi[label]});
  }
  std::stable_sort(verdicts.begin(), verdicts.end(),
                   [](const Verdict& a, const Verdict& b) { return a.score > b.score; });
  return verdicts;
}

// Adds up to `count` verdicts whose boxes and numbers do not overlap those already shown.
template <class Iterator>
void AddClear(Iterator begin, const Iterator& end, size_t count, const std::vector<Box>& boxes,
              std::vector<Verdict>& shown) {
  constexpr float kAbove = 18;
  constexpr float kBeside = 4;
  const size_t wanted = shown.size() + count;
  for (; begin != end && shown.size() < wanted; ++begin) {
    const Box& box = boxes[begin->roi];
    const bool is_clear = std::none_of(shown.begin(), shown.end(), [&](const Verdict& other) {
      const Box& there = boxes[other.roi];
      return box[0] < there[2] + kBeside && there[0] < box[2] + kBeside &&
             box[1] < there[3] + kAbove && there[1] < box[3] + kAbove;
    });
    if (is_clear) {
      shown.push_back(*begin);
    }
  }
}

std::string Bin(Point from, Point to, float score, int64_t label) {
  return Rectangle(
      from, to,
      fmt::format("{} fill-opacity=\"{:.2f}\" stroke=\"{}\"", Filled(kLabelColors[label]),
                  0.85f * std::clamp(score, 0.0f, 1.0f), kLabelColors[label]));
}

// Draws the bins of a proposal, darker for higher scores, with the mean score above them.
std::string Bins(const cli::Scene& scene, const Box& box, const Verdict& verdict,
                 const cli::Tensor& output) {
  const double width = static_cast<double>(box[2] - box[0]) / kGroup;
  const double height = static_cast<double>(box[3] - box[1]) / kGroup;
  std::string svg;
  for (int64_t bin = 0; bin < kBins; ++bin) {
    const int64_t row = bin / kGroup;
    const int64_t column = bin % kGroup;
    const Point from{box[0] + width * static_cast<double>(column),
                     box[1] + height * static_cast<double>(row)};
    const int64_t at = (static_cast<int64_t>(verdict.roi) * kBins + bin) * kLabels + verdict.label;
    svg += Bin(from, {from.x + width, from.y + height}, output.as<float>()[at], verdict.label);
  }
  const Point above{std::clamp((box[0] + box[2]) / 2.0, 20.0, scene.width - 20.0),
                    std::max(box[1] - 5.0, 18.0)};
  return svg + Text(above, fmt::format("{:.2f}", verdict.score),
                    fmt::format("text-anchor=\"middle\" font-weight=\"bold\" {}",
                                Filled(kLabelColors[verdict.label])));
}

std::string Legend(const cli::Scene& scene) {
  const double y = scene.height - 18;
  std::string svg =
      Rectangle({8, y - 18}, {scene.width - 8.0, y + 10}, "fill=\"#fff\" fill-opacity=\"0.85\"");
  double x = kMargin;
  for (int64_t label = 0; label < kLabels; ++label) {
    for (const float score : {0.0f, 0.5f, 1.0f}) {
      svg += Bin({x, y - 12}, {x + 14, y + 2}, score, label);
      x += 14;
    }
    svg += Text({x + 8, y}, fmt::format("{}, 0 to 1", kLabelNames[label]), "");
    x += 110;
  }
  return svg + Text({x, y}, "number: mean of the nine bins", Filled(kFaint));
}

cli::Case MakeDemo(const cli::Scene& scene) {
  const std::vector<Box> proposals = ProposalsOf(scene);
  std::vector<float> rois;
  for (const Box& box : proposals) {
    rois.insert(rois.end(), {0, box[0], box[1], box[2], box[3]});
  }
  const auto count = static_cast<int64_t>(proposals.size());
  cli::Case made =
      cli::MakeCase(CommandAdapter(), "demo",
                    cli::TensorList(MakeMap(scene),
                                    cli::TensorOf(MLUOP_DTYPE_FLOAT, {count, kRoiNumbers}, rois)));
  cli::SetParameters(CommandAdapter(), made,
                     {{"spatial_scale", 1.0 / kStride},
                      {"output_dim", kLabels},
                      {"group_size", kGroup},
                      {"pooled_height", kGroup},
                      {"pooled_width", kGroup}});
  return made;
}

cli::Picture DrawDemo(cli::Scene& scene, const cli::Case& done) {
  const std::vector<Box> boxes = BoxesOf(done.inputs[1]);
  const cli::Tensor& output = done.outputs[0];
  cli::Tensor scores = ScoresOf(output);
  const std::vector<Verdict> verdicts = VerdictsOf(scores);
  scene.tensors["roi_scores"] = std::move(scores);
  std::vector<Verdict> shown;
  AddClear(verdicts.begin(), verdicts.end(), kBestShown, boxes, shown);
  AddClear(verdicts.rbegin(), verdicts.rend(), kWorstShown, boxes, shown);
  std::string svg = cli::BeginScene(scene, "The bins of proposals");
  for (const Verdict& verdict : shown) {
    svg += Bins(scene, boxes[verdict.roi], verdict, output);
  }
  svg += Legend(scene) + "</svg>\n";
  const auto ships = std::count_if(verdicts.begin(), verdicts.end(),
                                   [](const Verdict& verdict) { return verdict.label == 0; });
  return {
      std::move(svg),
      fmt::format("{} proposals of {} x {} bins, pooled from {} score maps: {} score higher as "
                  "ships, {} as vehicles, with means from {:.2f} to {:.2f}. Shown are {} that do "
                  "not overlap.",
                  verdicts.size(), kGroup, kGroup, kLabels * kBins, ships,
                  static_cast<int64_t>(verdicts.size()) - ships, verdicts.back().score,
                  verdicts.front().score, shown.size())};
}

}  // namespace

// Runs on the proposals. Adds "roi_scores", float[R, 2], to the scene: the mean of the bins of each
// proposal, for each label.
cli::DemoStep Demo() { return {.order = 30, .make = MakeDemo, .draw = DrawDemo}; }

}  // namespace detops::psroipool_forward
