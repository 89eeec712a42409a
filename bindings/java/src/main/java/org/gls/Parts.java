package org.gls;

import java.util.List;
import java.util.stream.LongStream;

/**
 * In how many parts a graph is, and which of them are at hand; see {@link Dataset#parts}.
 *
 * @param count how many there are, at least 1
 * @param here the numbers of those that are read in this process, ascending
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
