// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The tree finds every overlap and visits few nodes.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "suppression/box_tree.h"
#include "suppression/hard_scenes.h"

namespace detops::suppression {
namespace {

struct TestTree {
  explicit TestTree(const std::vector<Bounds>& boxes)
      : items(boxes.size()),
        leaf_begin(boxes.size() + 1),
        nodes(static_cast<size_t>(BoxTree::MaxNodes(static_cast<int64_t>(boxes.size())))),
        tree((Fill(boxes), items.data()), static_cast<int64_t>(boxes.size()), leaf_begin.data(),
             nodes.data()) {}

  void Fill(const std::vector<Bounds>& boxes) {
    for (size_t i = 0; i < boxes.size(); ++i) {
      items[i] = {boxes[i], static_cast<int32_t>(i)};
    }
  }

  // Returns how often each box is in a leaf near the bounds.
  std::vector<int> Visits(const Bounds& bounds, int64_t& work) const {
    std::vector<int> visits(items.size());
    BoxTree::Neighbors neighbors(tree, bounds);
    CellSpan span;
    while (neighbors.Next(span, work)) {
      for (int32_t i = leaf_begin[static_cast<size_t>(span.begin)];
           i < leaf_begin[static_cast<size_t>(span.end)]; ++i) {
        ++visits[static_cast<size_t>(items[static_cast<size_t>(i)].index)];
      }
    }
    return visits;
  }

  std::vector<BoxTree::Item> items;
  std::vector<int32_t> leaf_begin;
  std::vector<BoxTree::Node> nodes;
  BoxTree tree;
};

bool Overlap(const Bounds& a, const Bounds& b) {
  return a.x_low < b.x_high && b.x_low < a.x_high && a.y_low < b.y_high && b.y_low < a.y_high;
}

TEST(BoxTree, FindsEveryOverlapOnce) {
  for (const HardScene& scene : HardScenes(1000)) {
    const TestTree tree(scene.boxes);
    int64_t work = 0;
    for (size_t i = 0; i < scene.boxes.size(); i += 7) {
      const std::vector<int> visits = tree.Visits(scene.boxes[i], work);
      for (size_t j = 0; j < scene.boxes.size(); ++j) {
        ASSERT_LE(visits[j], 1) << scene.name;
        ASSERT_GE(visits[j], Overlap(scene.boxes[i], scene.boxes[j]) ? 1 : 0) << scene.name;
      }
    }
  }
}

// Every number of boxes fits into MaxNodes nodes, and leaves have at most kLeaf boxes.
TEST(BoxTree, HasTheExpectedSize) {
  for (size_t count = 1; count < 700; ++count) {
    std::vector<Bounds> boxes(count);
    for (size_t i = 0; i < count; ++i) {
      const auto at = static_cast<float>(i * 37 % count);
      boxes[i] = {at, -at, at + 1, 1 - at};
    }
    const TestTree tree(boxes);
    const auto leaves = static_cast<size_t>(tree.tree.leaves());
    EXPECT_LE(tree.tree.nodes(), BoxTree::MaxNodes(static_cast<int64_t>(count)));
    EXPECT_EQ(tree.leaf_begin[0], 0);
    EXPECT_EQ(tree.leaf_begin[leaves], static_cast<int32_t>(count));
    for (size_t leaf = 0; leaf < leaves; ++leaf) {
      const int32_t size = tree.leaf_begin[leaf + 1] - tree.leaf_begin[leaf];
      EXPECT_TRUE(size >= 1 && size <= BoxTree::kLeaf) << size;
    }
  }
}

}  // namespace
}  // namespace detops::suppression
