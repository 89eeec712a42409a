package org.gls;

import java.util.List;
import java.util.stream.LongStream;

/**
 * How many parts a graph has, and which of them are local; see {@link Dataset#parts}.
 *
 * @param count number of parts, at least 1
 * @param here the numbers of the local parts, ascending
 */
public record Parts(int count, List<Integer> here) {
  /** Takes {@code low}. */
  static Parts of(org.gls.low.PartsOfGraph low) {
    try (Tensor here = Tensor.of(low.here())) {
      List<Integer> numbers = LongStream.of(here.toLongs()).mapToObj(Math::toIntExact).toList();
      return new Parts((int) low.count(), numbers);
    } finally {
      low.delete();
    }
  }
}
