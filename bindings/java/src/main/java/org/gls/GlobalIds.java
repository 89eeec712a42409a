package org.gls;

/**
 * The global ids of the ids of a part; see {@link Dataset#globalIds}.
 *
 * @param ids INT64 [ids of the part]: the owned ids, ascending, then the others
 * @param owned number of owned ids
 */
public record GlobalIds(Tensor ids, long owned) implements AutoCloseable {
  /** Takes {@code low}. */
  static GlobalIds of(org.gls.low.GlobalIds low) {
    try {
      return new GlobalIds(Tensor.of(low.ids()), low.owned());
    } finally {
      low.delete();
    }
  }

  /** Closes the tensor. */
  @Override
  public void close() {
    ids.close();
  }
}
