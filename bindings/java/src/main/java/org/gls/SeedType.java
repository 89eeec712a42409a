package org.gls;

/**
 * What the seeds of a batch are.
 *
 * @param node their node type; null where there are several
 * @param link edge type of the links they were made of; null where they are nodes
 */
record SeedType(String node, String link) {
  static SeedType nodes(String type) {
    return new SeedType(type, null);
  }

  static SeedType links(EdgeType type) {
    return new SeedType(type.source().equals(type.target()) ? type.source() : null, type.name());
  }
}
