package org.gls;

/** A stored topology of an edge type. */
public enum Layout {
  /** In-neighbours by node: what {@link Direction#IN} needs. */
  CSC(1),
  /** Out-neighbours by node: what {@link Direction#OUT} needs. */
  CSR(2);

  final int number; // in gls.h

  Layout(int number) {
    this.number = number;
  }

  static int bits(Iterable<Layout> layouts) {
    int bits = 0;
    for (Layout layout : layouts) {
      bits |= layout.number;
    }
    return bits;
  }

  static java.util.Set<Layout> of(long bits) {
    java.util.Set<Layout> out = java.util.EnumSet.noneOf(Layout.class);
    for (Layout layout : values()) {
      if ((bits & layout.number) != 0) {
        out.add(layout);
      }
    }
    return java.util.Collections.unmodifiableSet(out);
  }
}
