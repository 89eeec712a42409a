package org.gls;

/** The kind of an array of a batch. */
public enum ArrayKind {
  /**
   * Of a node type: dataset id of each node, distinct seeds first, then in the order of sampling.
   */
  NODE(0),
  /** Of an edge type: local id of each edge's source. */
  ROW(1),
  /** Of an edge type: local id of each edge's target. */
  COL(2),
  /** Of an edge type: dataset id of each edge; only with edge ids. */
  EDGE(3),
  /**
   * Of a node type: position of the seed in whose tree each node is; only when disjoint or by
   * times.
   */
  TREE(4),
  /** Of a node type: distinct seeds, then new nodes of each hop. */
  NUM_NODES(5),
  /** Of an edge type: edges of each hop; of an induced subgraph one number, of all. */
  NUM_EDGES(6),
  /** Of a node type: local id of each seed as given. */
  SEED(7),
  /**
   * Of a node type, or of an edge type where links are seeds: position of each in the loader's
   * seeds; only from loaders.
   */
  INPUT(8),
  /** A column of a node type. */
  NODE_COLUMN(9),
  /** A column of an edge type. */
  EDGE_COLUMN(10),
  /** Of a node type: time of each seed as given; only when sampled by times. */
  SEED_TIME(11),
  /** Of an edge type: local id of each link's source, then those of negative pairs. */
  LINK_SOURCE(12),
  /** Of an edge type: local id of each link's target, then those of negative pairs. */
  LINK_TARGET(13),
  /** Of an edge type: local ids of the targets drawn for each link, -1 where there is none. */
  LINK_NEGATIVE(14),
  /** Of an edge type: labels of the links, or rows of them, then 0 for each negative pair. */
  LINK_LABEL(15),
  /** Of the seeds' node type: local ids of the nodes of each walk, -1 after its end. */
  WALK(16),
  /** Of the seeds' node type: dataset id of the edge of each step, -1 where there is none. */
  WALK_EDGE(17),
  /** Of a node type: local ids, in the seeds' type, of the nodes whose neighbours these are. */
  NEAR_SEED(18),
  /** Of a node type: local ids of the neighbours that edges do not express. */
  NEAR_NODE(19),
  /** Of a node type: their scores, two columns. */
  NEAR_SCORE(20),
  /** Of the node type of labels and the name of a supervision: labels of each anchor, then -1. */
  ANCHOR_POSITIVE(21),
  /** The same of negative labels. */
  ANCHOR_NEGATIVE(22),
  /** Of no type: what the loader's transform attached by a name. */
  ATTACHED(23),
  /** Of a node type: which are nodes of the batch, and no padding. */
  NODE_MASK(24),
  /** Of an edge type: which are edges of the batch, and no padding. */
  EDGE_MASK(25),
  /** Of a node type of seeds: which are seeds, and no padding. */
  SEED_MASK(26),
  /** Of the links' edge type: which are links or negative pairs, and no padding. */
  LINK_MASK(27),
  /** Of the links' edge type: which targets of triplets were drawn. */
  LINK_NEGATIVE_MASK(28),
  /** Of the seeds' node type: which rows are walks, and no padding. */
  WALK_MASK(29),
  /** Of a node type: which are neighbours, and no padding. */
  NEAR_MASK(30),
  /** Of the anchors' node type: which rows of labels are of anchors, and no padding. */
  ANCHOR_MASK(31),
  /** Of an edge type: {@link #ROW} and {@link #COL}, as the two rows of one array. */
  EDGE_INDEX(32);

  final int number; // in gls.h

  ArrayKind(int number) {
    this.number = number;
  }

  static ArrayKind of(int number) {
    for (ArrayKind value : values()) {
      if (value.number == number) {
        return value;
      }
    }
    throw new GlsException.Unsupported(
        "array " + number + " of a newer library", java.util.Map.of());
  }
}
