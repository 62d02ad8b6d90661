// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The stages of a call: order each image by score and group, suppress within the groups, collect.

#include "suppression/engine.h"

#include <algorithm>

#include "core/parallel.h"
#include "suppression/group.h"
#include "suppression/order.h"
#include "suppression/workspace.h"

namespace detops::suppression {
namespace {

// Of one thread, for estimates only.
constexpr double kNanosecondsToOrder = 15;
constexpr double kNanosecondsToSuppress = 75;

// The images that have boxes; returns how many.
int64_t ListImages(const SuppressCall& call, const Workspace& space) {
  int64_t images = 0;
  int32_t begin = 0;
  for (int64_t image = 0; image < call.images; ++image) {
    const int32_t count =
        call.image_counts == nullptr ? static_cast<int32_t>(call.count) : call.image_counts[image];
    if (count != 0) {
      space.images[images++] = {begin, begin + count, begin};
    }
    begin += count;
  }
  return images;
}

// Sorts ids, which are in the order of their scores, by group.
void SortByGroup(const SuppressCall& call, int32_t* ids, Entry* entries, Entry* spare,
                 int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    entries[i] = MakeEntry(IntegerKey(call.GroupOf(ids[i])), static_cast<int32_t>(i));
  }
  SortEntries(entries, spare, count);
  for (int64_t i = 0; i < count; ++i) {
    spare[i] = MakeEntry(0, ids[IndexOf(entries[i])]);
  }
  for (int64_t i = 0; i < count; ++i) {
    ids[i] = IndexOf(spare[i]);
  }
}

// Fills the image's ids with the boxes that take part, by group and from the highest score down.
void OrderImage(const SuppressCall& call, const Workspace& space, Image& image) {
  Entry* const entries = space.entries + image.begin;
  Entry* const spare = space.spare + image.begin;
  int32_t* const ids = space.ids + image.begin;
  int32_t count = 0;
  for (int32_t box = image.begin; box < image.end; ++box) {
    const float score = call.ScoreOf(box);
    space.kept[box] = 0;
    if (!(score <= call.score_threshold)) {
      entries[count++] = MakeEntry(ScoreKey(score), box);
    }
  }
  SortEntries(entries, spare, count);
  for (int32_t i = 0; i < count; ++i) {
    ids[i] = IndexOf(entries[i]);
  }
  if (call.groups != nullptr) {
    SortByGroup(call, ids, entries, spare, count);
  }
  image.ids_end = image.begin + count;
}

// Calls body(image) for all of them, side by side.
template <class Body>
void ForEachImage(Threads& threads, const SuppressCall& call, const Workspace& space,
                  int64_t images, const Body& body) {
  const double boxes = static_cast<double>(call.count) / static_cast<double>(images);
  ParallelFor(threads, images, boxes * kNanosecondsToOrder, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      body(space.images[i]);
    }
  });
}

int32_t EndOfGroup(const SuppressCall& call, const Workspace& space, const Range& ids) {
  if (call.groups == nullptr) {
    return ids.end;
  }
  const int32_t group = call.GroupOf(space.ids[ids.begin]);
  int32_t end = ids.begin + 1;
  while (end < ids.end && call.GroupOf(space.ids[end]) == group) {
    ++end;
  }
  return end;
}

// Large groups one after the other, each on all threads; then the small ones side by side.
void SuppressGroups(Threads& threads, const Kernels& kernels, const SuppressCall& call,
                    const Workspace& space, int64_t images) {
  const auto group = [&](const Range& ids) {
    return Group{threads,
                 kernels,
                 call.boxes,
                 call.iou_threshold,
                 space.ids + ids.begin,
                 ids.end - ids.begin,
                 space.kept};
  };
  int64_t small_groups = 0;
  int64_t small_boxes = 0;
  for (int64_t image = 0; image < images; ++image) {
    Range ids{space.images[image].begin, space.images[image].ids_end};
    while (ids.begin < ids.end) {
      const Range part{ids.begin, EndOfGroup(call, space, ids)};
      if (part.end - part.begin > kFewBoxes) {
        SuppressMany(group(part), space);
      } else {
        space.small_groups[small_groups++] = part;
        small_boxes += part.end - part.begin;
      }
      ids.begin = part.end;
    }
  }
  const double boxes_per_group =
      static_cast<double>(small_boxes) / static_cast<double>(std::max<int64_t>(small_groups, 1));
  ParallelFor(threads, small_groups, boxes_per_group * kNanosecondsToSuppress,
              [&](int64_t begin, int64_t end) {
                for (int64_t i = begin; i < end; ++i) {
                  SuppressFew(group(space.small_groups[i]));
                }
              });
}

void KeepAll(const Workspace& space, int64_t images) {
  for (int64_t image = 0; image < images; ++image) {
    for (int32_t i = space.images[image].begin; i < space.images[image].ids_end; ++i) {
      space.kept[space.ids[i]] = 1;
    }
  }
}

// Fills the image's ids with the boxes that are kept, in the order of the result.
void CollectImage(const SuppressCall& call, const Workspace& space, Image& image) {
  int32_t* const ids = space.ids + image.begin;
  int64_t count = 0;
  for (int32_t box = image.begin; box < image.end; ++box) {
    if (space.kept[box] != 0) {
      ids[count++] = box;
    }
  }
  if (call.sort_by_score || count > call.max_outputs) {
    Entry* const entries = space.entries + image.begin;
    for (int64_t i = 0; i < count; ++i) {
      entries[i] = MakeEntry(ScoreKey(call.ScoreOf(ids[i])), ids[i]);
    }
    SortEntries(entries, space.spare + image.begin, count);
    count = std::min(count, call.max_outputs);
    for (int64_t i = 0; i < count; ++i) {
      ids[i] = IndexOf(entries[i]);
    }
    if (!call.sort_by_score) {
      std::sort(ids, ids + count);
    }
  }
  image.ids_end = image.begin + static_cast<int32_t>(count);
}

void Write(const SuppressCall& call, const Workspace& space) {
  const Image* result = space.images;
  int32_t* output = call.output;
  for (int64_t image = 0; image < call.images; ++image) {
    const int64_t boxes = call.image_counts == nullptr ? call.count : call.image_counts[image];
    int32_t kept = 0;
    if (boxes != 0) {
      output = std::copy(space.ids + result->begin, space.ids + result->ids_end, output);
      kept = result->ids_end - result->begin;
      ++result;
    }
    call.result_num[image] = kept;
  }
}

Status CheckImageCounts(const SuppressCall& call) {
  int64_t sum = 0;
  for (int64_t image = 0; image < call.images; ++image) {
    if (call.image_counts[image] < 0) {
      return BadParam("image_counts[{}] is {}, expected a number that is not negative", image,
                      call.image_counts[image]);
    }
    sum += call.image_counts[image];
  }
  return sum == call.count ? Status()
                           : BadParam("image_counts add up to {}, expected {}, the number of boxes",
                                      sum, call.count);
}

}  // namespace

size_t WorkspaceBytes(const Kernels& kernels, int64_t count) {
  if (count == 0) {
    return 0;
  }
  Carver carver(nullptr);
  const Workspace space(carver, kernels, count);
  return carver.used() + kAlignment;  // it may start anywhere
}

Status RunSuppress(RunContext& context, const Kernels& kernels, const SuppressCall& call) {
  if (call.image_counts != nullptr) {
    DETOPS_RETURN_IF_ERROR(CheckImageCounts(call));
  }
  Carver carver(call.workspace != nullptr ? call.workspace : context.scratch);
  const Workspace space(carver, kernels, call.count);
  const int64_t images = ListImages(call, space);
  ForEachImage(context.threads, call, space, images,
               [&](Image& image) { OrderImage(call, space, image); });
  if (call.iou_threshold >= 1.0f) {
    KeepAll(space, images);  // no IoU exceeds 1
  } else {
    SuppressGroups(context.threads, kernels, call, space, images);
  }
  ForEachImage(context.threads, call, space, images,
               [&](Image& image) { CollectImage(call, space, image); });
  Write(call, space);
  return {};
}

}  // namespace detops::suppression
