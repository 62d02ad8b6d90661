// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The stages of a call: order the boxes of each image by group and score, suppress within the
// groups, collect the kept boxes.

#include "suppression/engine.h"

#include <algorithm>

#include "core/parallel.h"
#include "core/read_once.h"
#include "suppression/costs.h"
#include "suppression/group.h"
#include "suppression/order.h"
#include "suppression/workspace.h"

namespace detops::suppression {
namespace {

// Checks image_counts and lists the images that have boxes; `images` becomes their number. The
// counts are read only here: later stages use the list.
Status ListImages(const Args& args, const Workspace& space, int64_t& images) {
  images = 0;
  int64_t sum = 0;
  for (int64_t image = 0; image < args.images; ++image) {
    const int64_t count =
        args.image_counts == nullptr ? args.count : ReadOnce(args.image_counts[image]);
    if (count < 0) {
      return BadParam("image_counts[{}] is {}; it must be 0 or more", image, count);
    }
    sum += count;
    // The list has room for one image per box. Counts beyond that are only added up, for the error.
    if (count != 0 && sum <= args.count) {
      const auto begin = static_cast<int32_t>(sum - count);
      space.images[images++] = {
          .index = static_cast<int32_t>(image), .begin = begin, .ids_end = begin};
    }
  }
  return sum == args.count
             ? Status()
             : BadParam("image_counts add up to {}; they must add up to {}, the number of boxes",
                        sum, args.count);
}

// Sorts ids by group. Within a group they keep their order, which is that of the scores.
void SortByGroup(const Args& args, int32_t* ids, Entry* entries, Entry* spare, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    entries[i] = MakeEntry(IntegerKey(args.GroupOf(ids[i])), static_cast<int32_t>(i));
  }
  SortEntries(entries, spare, count);
  for (int64_t i = 0; i < count; ++i) {
    spare[i] = MakeEntry(0, ids[IndexOf(entries[i])]);
  }
  for (int64_t i = 0; i < count; ++i) {
    ids[i] = IndexOf(spare[i]);
  }
}

// Fills the image's ids with its boxes, which end at `end`, above the score threshold, sorted by
// group and then by descending score.
void OrderImage(const Args& args, const Workspace& space, Image& image, int64_t end) {
  Entry* const entries = space.entries + image.begin;
  Entry* const spare = space.spare + image.begin;
  int32_t* const ids = space.ids + image.begin;
  int32_t count = 0;
  for (int32_t box = image.begin; box < end; ++box) {
    const float score = args.ScoreOf(box);
    space.kept[box] = 0;
    if (!(score <= args.score_threshold)) {
      entries[count++] = MakeEntry(ScoreKey(score), box);
    }
  }
  SortEntries(entries, spare, count);
  for (int32_t i = 0; i < count; ++i) {
    ids[i] = IndexOf(entries[i]);
  }
  if (args.groups != nullptr) {
    SortByGroup(args, ids, entries, spare, count);
  }
  image.ids_end = image.begin + count;
}

// Calls body(image, end) for all images, in parallel; `end` is the end of the image's boxes.
template <class Body>
void ForEachImage(Threads& threads, const Args& args, const Workspace& space, int64_t images,
                  const Body& body) {
  const double boxes = static_cast<double>(args.count) / static_cast<double>(images);
  ParallelFor(threads, images, boxes * kNanosecondsToOrder, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      body(space.images[i], i + 1 < images ? space.images[i + 1].begin : args.count);
    }
  });
}

// Returns the end of the group that starts with the first id. If another thread changes the groups,
// it may find other groups than SortByGroup, but none of them is empty or leaves the range.
int32_t EndOfGroup(const Args& args, const Workspace& space, const IdRange& ids) {
  if (args.groups == nullptr) {
    return ids.end;
  }
  const int32_t group = args.GroupOf(space.ids[ids.begin]);
  int32_t end = ids.begin + 1;
  while (end < ids.end && args.GroupOf(space.ids[end]) == group) {
    ++end;
  }
  return end;
}

// Suppresses large groups one after the other, each on all threads, then small groups in parallel.
void SuppressGroups(Threads& threads, const Kernels& kernels, const Args& args,
                    const Workspace& space, int64_t images) {
  const auto group = [&](const IdRange& ids) {
    return Group{.threads = threads,
                 .kernels = kernels,
                 .boxes = args.boxes,
                 .metric = args.metric,
                 .threshold = args.iou_threshold,
                 .ids = space.ids + ids.begin,
                 .count = ids.end - ids.begin,
                 .kept = space.kept};
  };
  int64_t small_groups = 0;
  int64_t small_boxes = 0;
  for (int64_t image = 0; image < images; ++image) {
    IdRange ids{space.images[image].begin, space.images[image].ids_end};
    while (ids.begin < ids.end) {
      const IdRange part{ids.begin, EndOfGroup(args, space, ids)};
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

// Fills the image's ids with those of its boxes, which end at `end`, that were kept, in the order
// of the result.
void CollectImage(const Args& args, const Workspace& space, Image& image, int64_t end) {
  int32_t* const ids = space.ids + image.begin;
  int64_t count = 0;
  for (int32_t box = image.begin; box < end; ++box) {
    if (space.kept[box] != 0) {
      ids[count++] = box;
    }
  }
  if (args.sort_by_score || count > args.max_outputs) {
    Entry* const entries = space.entries + image.begin;
    for (int64_t i = 0; i < count; ++i) {
      entries[i] = MakeEntry(ScoreKey(args.ScoreOf(ids[i])), ids[i]);
    }
    SortEntries(entries, space.spare + image.begin, count);
    count = std::min(count, args.max_outputs);
    for (int64_t i = 0; i < count; ++i) {
      ids[i] = IndexOf(entries[i]);
    }
    if (!args.sort_by_score) {
      std::sort(ids, ids + count);
    }
  }
  image.ids_end = image.begin + static_cast<int32_t>(count);
}

void Write(const Args& args, const Workspace& space, int64_t images) {
  std::fill_n(args.result_num, args.images, 0);
  int32_t* output = args.output;
  for (int64_t i = 0; i < images; ++i) {
    const Image& image = space.images[i];
    output = std::copy(space.ids + image.begin, space.ids + image.ids_end, output);
    args.result_num[image.index] = image.ids_end - image.begin;
  }
}

}  // namespace

size_t WorkspaceBytes(const Kernels& kernels, int64_t count) {
  if (count == 0) {
    return 0;
  }
  Carver carver(nullptr);
  const Workspace space(carver, kernels, count);
  return carver.used() + kAlignment;  // The workspace may have any alignment.
}

Status Run(RunContext& context, const Kernels& kernels, const Args& args) {
  Carver carver(args.workspace != nullptr ? args.workspace : context.scratch);
  const Workspace space(carver, kernels, args.count);
  int64_t images = 0;
  DETOPS_RETURN_IF_ERROR(ListImages(args, space, images));
  ForEachImage(context.threads, args, space, images,
               [&](Image& image, int64_t end) { OrderImage(args, space, image, end); });
  if (args.iou_threshold >= 1.0f) {
    KeepAll(space, images);  // No IoU exceeds 1.
  } else {
    SuppressGroups(context.threads, kernels, args, space, images);
  }
  ForEachImage(context.threads, args, space, images,
               [&](Image& image, int64_t end) { CollectImage(args, space, image, end); });
  Write(args, space, images);
  return {};
}

}  // namespace detops::suppression
