// Whether two batches are the same in every array.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "sample/batch/batch.h"

namespace gls::test {

inline void expect_same(const Tensor& a, const Tensor& b, const std::string& what) {
  ASSERT_EQ(a.defined(), b.defined()) << what;
  if (!a.defined()) {
    return;
  }
  ASSERT_EQ(a.shape(), b.shape()) << what;
  ASSERT_TRUE(same_dtype(a.dtype(), b.dtype())) << what;
  ASSERT_TRUE(a.contiguous() && b.contiguous()) << what;
  if (a.span_bytes() > 0) {  // else there may be no memory
    EXPECT_EQ(std::memcmp(a.data(), b.data(), a.span_bytes()), 0) << what;
  }
}

inline void expect_same(const Batch& a, const Batch& b) {
  ASSERT_EQ(a.nodes.size(), b.nodes.size());
  ASSERT_EQ(a.edges.size(), b.edges.size());
  EXPECT_EQ(a.epoch, b.epoch);
  EXPECT_EQ(a.number, b.number);
  EXPECT_EQ(a.padding, b.padding);
  expect_same(a.input, b.input, "input");
  for (size_t t = 0; t < a.nodes.size(); ++t) {
    const std::string of = "nodes " + std::to_string(t) + " ";
    expect_same(a.nodes[t].node, b.nodes[t].node, of + "node");
    expect_same(a.nodes[t].seed, b.nodes[t].seed, of + "seed");
    expect_same(a.nodes[t].seed_time, b.nodes[t].seed_time, of + "seed_time");
    expect_same(a.nodes[t].tree, b.nodes[t].tree, of + "tree");
    expect_same(a.nodes[t].num_nodes, b.nodes[t].num_nodes, of + "num_nodes");
    expect_same(a.nodes[t].mask, b.nodes[t].mask, of + "mask");
    expect_same(a.nodes[t].seed_mask, b.nodes[t].seed_mask, of + "seed_mask");
    expect_same(a.nodes[t].anchor_mask, b.nodes[t].anchor_mask, of + "anchor_mask");
  }
  for (size_t t = 0; t < a.edges.size(); ++t) {
    const std::string of = "edges " + std::to_string(t) + " ";
    expect_same(a.edges[t].row(), b.edges[t].row(), of + "row");
    expect_same(a.edges[t].col(), b.edges[t].col(), of + "col");
    expect_same(a.edges[t].edge, b.edges[t].edge, of + "edge");
    expect_same(a.edges[t].num_edges, b.edges[t].num_edges, of + "num_edges");
    expect_same(a.edges[t].mask, b.edges[t].mask, of + "mask");
  }
  ASSERT_EQ(a.walks.has_value(), b.walks.has_value());
  if (a.walks.has_value()) {
    EXPECT_EQ(a.walks->node_type, b.walks->node_type);
    expect_same(a.walks->walk, b.walks->walk, "walk");
    expect_same(a.walks->edge, b.walks->edge, "edges of walks");
    expect_same(a.walks->mask, b.walks->mask, "mask of walks");
  }
  ASSERT_EQ(a.near.size(), b.near.size());
  for (size_t t = 0; t < a.near.size(); ++t) {
    const std::string of = "near " + std::to_string(t) + " ";
    expect_same(a.near[t].seed, b.near[t].seed, of + "seed");
    expect_same(a.near[t].node, b.near[t].node, of + "node");
    expect_same(a.near[t].score, b.near[t].score, of + "score");
    expect_same(a.near[t].mask, b.near[t].mask, of + "mask");
  }
  ASSERT_EQ(a.links.has_value(), b.links.has_value());
  if (a.links.has_value()) {
    expect_same(a.links->source, b.links->source, "source");
    expect_same(a.links->target, b.links->target, "target");
    expect_same(a.links->negative, b.links->negative, "negative");
    expect_same(a.links->label, b.links->label, "label");
    expect_same(a.links->mask, b.links->mask, "mask of links");
    expect_same(a.links->negative_mask, b.links->negative_mask, "mask of negatives");
  }
  ASSERT_EQ(a.labels.size(), b.labels.size());
  for (size_t s = 0; s < a.labels.size(); ++s) {
    EXPECT_EQ(a.labels[s].node_type, b.labels[s].node_type);
    EXPECT_EQ(a.labels[s].name, b.labels[s].name);
    EXPECT_EQ(a.labels[s].negative, b.labels[s].negative);
    expect_same(a.labels[s].label, b.labels[s].label, "labels of " + a.labels[s].name);
  }
  ASSERT_EQ(a.columns.size(), b.columns.size());
  for (size_t c = 0; c < a.columns.size(); ++c) {
    expect_same(a.columns[c].data, b.columns[c].data, "column " + a.columns[c].column->name);
  }
}

}  // namespace gls::test
