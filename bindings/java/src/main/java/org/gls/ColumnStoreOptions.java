package org.gls;

import java.util.Objects;

/** A column that a {@link Store} has, and how the store is asked. */
public final class ColumnStoreOptions extends StoreOptions<ColumnStoreOptions> {
  final String type;
  final String name;
  final DType dtype;
  private long[] rowShape = {};
  private Role role = Role.FEATURE;

  /**
   * A column whose rows are single numbers.
   *
   * @param type node type, or edge type such as "user__likes__item"; null: the only node type
   * @param name of the column
   * @param dtype of its elements
   */
  public ColumnStoreOptions(String type, String name, DType dtype) {
    this.type = type;
    this.name = Objects.requireNonNull(name, "name");
    this.dtype = Objects.requireNonNull(dtype, "dtype");
  }

  @Override
  ColumnStoreOptions self() {
    return this;
  }

  /**
   * The extents of one row.
   *
   * @param extents none, the default: rows are single numbers
   * @return this
   */
  public ColumnStoreOptions rowShape(long... extents) {
    rowShape = extents.clone();
    return this;
  }

  /**
   * What the column is for. It only chooses defaults.
   *
   * @param role FEATURE by default
   * @return this
   */
  public ColumnStoreOptions role(Role role) {
    this.role = Objects.requireNonNull(role, "role");
    return this;
  }

  int roleNumber() {
    return role.number;
  }

  /** To be deleted by the caller. */
  org.gls.low.RowShape lowShape() {
    org.gls.low.RowShape low = new org.gls.low.RowShape();
    for (long extent : rowShape) {
      low.add(extent);
    }
    return low;
  }

  /** So many rows fit in a Java buffer. The library refuses impossible shapes. */
  int mostIds() {
    long bytes = dtype.bytes();
    for (long extent : rowShape) {
      if (extent <= 0) {
        return Integer.MAX_VALUE;
      }
      if (extent > Integer.MAX_VALUE / bytes) {
        throw GlsException.invalid(
            "rowShape", "a row of more than 2^31 - 1 bytes is more than a Java buffer can hold");
      }
      bytes *= extent;
    }
    return (int) (Integer.MAX_VALUE / bytes);
  }
}
