// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "suppression/box_tree.h"

#include <algorithm>

namespace detops::suppression {
namespace {

constexpr int kSides = 4;

bool Touch(const Bounds& a, const Bounds& b) {
  return a.x_low <= b.x_high && b.x_low <= a.x_high && a.y_low <= b.y_high && b.y_low <= a.y_high;
}

}  // namespace

struct BoxTree::Builder {
  BoxTree& tree;
  Item* items;
  int32_t* leaf_begin;
  Node* nodes;

  // Calls body(less), where less(a, b) returns whether a extends farther to the side than b: left,
  // up, right or down.
  template <class Body>
  static void WithOrder(int side, const Body& body) {
    switch (side) {
      case 0:
        return body([](const Item& a, const Item& b) { return a.bounds.x_low < b.bounds.x_low; });
      case 1:
        return body([](const Item& a, const Item& b) { return a.bounds.y_low < b.bounds.y_low; });
      case 2:
        return body([](const Item& a, const Item& b) { return a.bounds.x_high > b.bounds.x_high; });
      default:
        return body([](const Item& a, const Item& b) { return a.bounds.y_high > b.bounds.y_high; });
    }
  }

  // Adds a node for the positions [begin, end). The caller sets `next`.
  Node& AddNode(int64_t begin, int64_t end, int32_t leaf) {
    Bounds all = items[begin].bounds;
    for (int64_t i = begin + 1; i < end; ++i) {
      const Bounds& box = items[i].bounds;
      all = {std::min(all.x_low, box.x_low), std::min(all.y_low, box.y_low),
             std::max(all.x_high, box.x_high), std::max(all.y_high, box.y_high)};
    }
    Node& node = nodes[tree.node_count_++];
    node = {all, tree.node_count_, leaf};
    return node;
  }

  void AddLeaf(int64_t begin, int64_t end) {
    leaf_begin[tree.leaves_] = static_cast<int32_t>(begin);
    AddNode(begin, end, tree.leaves_++);
  }

  // The boxes that extend farthest to each side get leaves of their own, directly below the node,
  // so that they do not enlarge the nodes of the others. These are halved by one of the keys, each
  // of which has its turn.
  void Add(int64_t begin, int64_t end, int turn) {
    if (end - begin <= kLeaf) {
      AddLeaf(begin, end);
      return;
    }
    Node& node = AddNode(begin, end, -1);
    for (int side = 0; side < kSides && end - begin > kLeaf; ++side) {
      WithOrder(side, [&](const auto& less) {
        std::partial_sort(items + begin, items + begin + kLeaf, items + end, less);
      });
      AddLeaf(begin, begin + kLeaf);
      begin += kLeaf;
    }
    if (end - begin <= kLeaf) {
      AddLeaf(begin, end);
    } else {
      const int64_t middle = begin + (end - begin) / 2;
      WithOrder(turn, [&](const auto& less) {
        std::nth_element(items + begin, items + middle, items + end, less);
      });
      Add(begin, middle, (turn + 1) % kSides);
      Add(middle, end, (turn + 1) % kSides);
    }
    node.next = tree.node_count_;
  }
};

BoxTree::BoxTree(Item* items, int64_t count, int32_t* leaf_begin, Node* nodes) : nodes_(nodes) {
  Builder{*this, items, leaf_begin, nodes}.Add(0, count, 0);
  leaf_begin[leaves_] = static_cast<int32_t>(count);
}

bool BoxTree::Neighbors::Next(CellSpan& span, int64_t& work) {
  while (node_ < tree_.node_count_) {
    const Node& node = tree_.nodes_[node_];
    const bool touches = Touch(node.bounds, bounds_);
    ++work;
    node_ = touches ? node_ + 1 : node.next;
    if (touches && node.leaf >= 0) {
      span = {node.leaf, node.leaf + 1};
      return true;
    }
  }
  return false;
}

}  // namespace detops::suppression
