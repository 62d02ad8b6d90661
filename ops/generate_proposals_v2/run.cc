// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The stages: select the highest scores, decode their boxes and suppress, block after block and
// only as far as proposals are missing; then pack the images.

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

#include "core/carver.h"
#include "core/parallel.h"
#include "ops/generate_proposals_v2/kept_grid.h"
#include "ops/generate_proposals_v2/op.h"
#include "ops/generate_proposals_v2/selection.h"
#include "ops/generate_proposals_v2/tiles.h"
#include "ops/nms/op.h"
#include "suppression/group.h"

namespace detops::generate_proposals_v2 {
namespace {

// Of one thread, for estimates only.
constexpr double kNanosecondsPerScore = 0.5;
constexpr double kNanosecondsPerCandidate = 50;
constexpr double kNanosecondsToDecode = 15;
constexpr double kNanosecondsToLookUp = 25;
constexpr double kNanosecondsPerTest = 0.2;

// Candidates that are looked at together: few at first, because the first suppress most of those
// that follow.
constexpr int64_t kFirstBlock = 32;
constexpr int64_t kLargestBlock = suppression::kLargestBlock;
// Of a block, so many are wanted that no kept one suppresses: they are compared with each other.
constexpr int64_t kSurvivorsOfBlock = 192;

// Candidates that one core decodes and looks up.
constexpr int64_t kDecodeTogether = 64;
static_assert(kDecodeTogether % suppression::kMaxLanes == 0);

// Images that are worked on at the same time, each in memory of its own.
constexpr int64_t kImagesAtOnce = 8;

// What an image needs.
struct ImageSpace {
  ImageSpace(Carver& carver, int64_t scores, int64_t max_proposals)
      : selection(carver, scores),
        kept(carver, max_proposals),
        rois(carver.Take<float>(max_proposals * kBoxFloats)),
        anchors(carver.Take<int32_t>(max_proposals)),
        suppressed(carver.Take<uint8_t>(kLargestBlock + suppression::kMaxLanes)),
        rows(carver.Take<uint64_t>(kLargestBlock * suppression::WordsFor(kLargestBlock))),
        survivors(carver.Take<int32_t>(kLargestBlock)) {
    for (int i = 0; i < nms::kColumns; ++i) {
      candidates.array[i] = carver.Take<float>(kLargestBlock + 2 * suppression::kMaxLanes);
      block.array[i] = carver.Take<float>(kLargestBlock + 2 * suppression::kMaxLanes);
    }
  }

  Selection::Space selection;
  KeptGrid::Space kept;
  // The result.
  float* rois;
  int32_t* anchors;
  // A block of candidates, and what is left of it.
  suppression::Columns candidates{};
  uint8_t* suppressed;
  suppression::Columns block{};
  uint64_t* rows;
  int32_t* survivors;
};

size_t ImageBytes(int64_t scores, int64_t max_proposals) {
  Carver carver(nullptr);
  const ImageSpace space(carver, scores, max_proposals);
  return carver.used() + kAlignment;  // it may start anywhere
}

// An image's side, as a limit: no number is none.
float LimitOf(float side) {
  return std::isnan(side) ? std::numeric_limits<float>::infinity() : side;
}

// The proposals of one image.
class ImageRun {
 public:
  ImageRun(Threads& threads, const Args& args, int64_t image, const ImageSpace& space)
      : threads_(threads),
        args_(args),
        space_(space),
        selection_(threads,
                   {args.scores + image * args.scores_per_image(), args.positions,
                    args.anchors_per_position, args.channels_first},
                   args.candidates, space.selection),
        decoder_{args.anchors,
                 args.variances,
                 args.bbox_deltas + image * args.scores_per_image() * kBoxFloats,
                 args.positions,
                 args.anchors_per_position,
                 args.channels_first,
                 args.pixel_offset ? 1.0f : 0.0f,
                 LimitOf(args.im_shape[2 * image + 1]),
                 LimitOf(args.im_shape[2 * image]),
                 args.least_size,
                 args.pixel_offset},
        kept_boxes_(space.kept, args.nms_thresh, args.pixel_offset ? 1 : 0, space.rois) {}

  // Returns how many proposals are kept.
  int64_t Run() {
    int64_t size = kFirstBlock;
    for (int64_t begin = 0; begin < args_.candidates && kept_ < args_.max_proposals;) {
      const int64_t count = std::min(size, args_.candidates - begin);
      const suppression::Entry* const entries = selection_.Sort(begin + count) + begin;
      Decode(entries, count);
      const int64_t survivors = GatherSurvivors(count);
      Suppress(entries, survivors);
      begin += count;
      size = std::clamp(
          kSurvivorsOfBlock * count / (survivors + 1) / kDecodeTogether * kDecodeTogether,
          kFirstBlock, std::min(2 * size, kLargestBlock));
    }
    return kept_;
  }

 private:
  // No IoU exceeds 1.
  bool suppresses() const { return args_.nms_thresh < 1; }
  bool searches() const { return suppresses() && kept_ != 0; }

  // Fills the candidates, and says which of them are dropped or suppressed by kept ones.
  void Decode(const suppression::Entry* entries, int64_t count) {
    const double nanoseconds =
        kNanosecondsToDecode +
        (searches() ? kNanosecondsToLookUp + tests_per_candidate_ * kNanosecondsPerTest : 0);
    std::atomic<int64_t> tests{0};
    // Boxes are looked up where they were decoded: they are in that core's cache.
    ParallelFor(
        threads_, (count + kDecodeTogether - 1) / kDecodeTogether, nanoseconds * kDecodeTogether,
        [&](int64_t first, int64_t last) {
          const int64_t begin = first * kDecodeTogether;
          const int64_t end = std::min(last * kDecodeTogether, count);
          DecodeCandidates(decoder_, entries, begin, end, space_.candidates, space_.suppressed);
          if (searches()) {
            tests += FindSuppressed(kept_boxes_, space_.candidates, begin, end, space_.suppressed);
          }
        });
    tests_per_candidate_ = static_cast<double>(tests) / static_cast<double>(count);
  }

  // Makes a block of the candidates that are left; returns how many.
  int64_t GatherSurvivors(int64_t count) {
    int64_t survivors = 0;
    for (int64_t i = 0; i < count; ++i) {
      // Written in any case, and written over when it does not count: there is nothing to predict.
      for (int column = 0; column < nms::kColumns; ++column) {
        space_.block.array[column][survivors] = space_.candidates.array[column][i];
      }
      space_.survivors[survivors] = static_cast<int32_t>(i);
      survivors += space_.suppressed[i] == 0 ? 1 : 0;
    }
    return survivors;
  }

  // Keeps those of the block that none before them suppresses.
  void Suppress(const suppression::Entry* entries, int64_t count) {
    if (!suppresses()) {
      for (int64_t i = 0; i < count && kept_ < args_.max_proposals; ++i) {
        Keep(i, suppression::IndexOf(entries[space_.survivors[i]]));
      }
      return;
    }
    const nms::Metric metric{.offset = args_.pixel_offset ? 1 : 0};
    const suppression::Block block{.prepared = nullptr,
                                   .metric = &metric,
                                   .columns = space_.block,
                                   .slot_of = nullptr,
                                   .count = count,
                                   .threshold = args_.nms_thresh,
                                   .rows = space_.rows,
                                   .words_per_row = suppression::WordsFor(count)};
    suppression::CompareBlock(threads_, nms::BoxKernels(), block);
    suppression::ResolveBlock(block, [&](int64_t i) {
      if (kept_ < args_.max_proposals) {
        Keep(i, suppression::IndexOf(entries[space_.survivors[i]]));
        kept_boxes_.Add(space_.block.array[nms::kArea][i]);
      }
    });
  }

  void Keep(int64_t i, int32_t anchor) {
    float* const roi = space_.rois + kept_ * kBoxFloats;
    for (int column = 0; column < kBoxFloats; ++column) {
      roi[column] = space_.block.array[column][i];
    }
    space_.anchors[kept_++] = anchor;
  }

  Threads& threads_;
  const Args& args_;
  const ImageSpace space_;
  Selection selection_;
  const Decoder decoder_;
  KeptGrid kept_boxes_;
  double tests_per_candidate_ = 0;
  int64_t kept_ = 0;
};

// Writes the proposals of an image behind those of the images before it.
void WriteImage(const Args& args, int64_t image, const ImageSpace& space, int64_t kept) {
  const int64_t row = *args.total;
  float* const rois = args.rois + row * kBoxFloats;
  float* const probs = args.probs + row;
  const bool none = kept == 0;
  if (none) {
    std::fill_n(rois, kBoxFloats, 0.0f);
    *probs = 0;
  }
  std::copy_n(space.rois, kept * kBoxFloats, rois);
  for (int64_t i = 0; i < kept; ++i) {
    probs[i] = args.scores[args.ScoreOffset(image, space.anchors[i])];
  }
  if (args.anchor_indices != nullptr) {
    args.anchor_indices[row] = -1;
    std::copy_n(space.anchors, kept, args.anchor_indices + row);
  }
  const auto count = static_cast<int32_t>(none ? 1 : kept);
  args.counts[image] = count;
  *args.total += count;
}

}  // namespace

size_t WorkspaceBytes(int64_t images, int64_t scores_per_image, int64_t max_proposals) {
  // Without images the other sizes may be any.
  return images == 0 ? 0
                     : static_cast<size_t>(std::min(images, kImagesAtOnce)) *
                           ImageBytes(scores_per_image, max_proposals);
}

Status Run(RunContext& context, const Args& args) {
  *args.total = 0;
  if (args.images == 0) {
    return {};
  }
  auto* const memory =
      static_cast<std::byte*>(args.workspace != nullptr ? args.workspace : context.scratch);
  const size_t image_bytes = ImageBytes(args.scores_per_image(), args.max_proposals);
  const auto space_of = [&](int64_t i) {
    Carver carver(memory + static_cast<size_t>(i) * image_bytes);
    return ImageSpace(carver, args.scores_per_image(), args.max_proposals);
  };
  const double nanoseconds = static_cast<double>(args.scores_per_image()) * kNanosecondsPerScore +
                             static_cast<double>(args.candidates) * kNanosecondsPerCandidate;
  for (int64_t first = 0; first < args.images; first += kImagesAtOnce) {
    const int64_t images = std::min(args.images - first, kImagesAtOnce);
    int64_t kept[kImagesAtOnce];
    ParallelFor(context.threads, images, nanoseconds, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        kept[i] = ImageRun(context.threads, args, first + i, space_of(i)).Run();
      }
    });
    for (int64_t i = 0; i < images; ++i) {
      WriteImage(args, first + i, space_of(i), kept[i]);
    }
  }
  return {};
}

}  // namespace detops::generate_proposals_v2
