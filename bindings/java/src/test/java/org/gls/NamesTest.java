package org.gls;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Names that are easily typed for each other must not compile for each other. */
final class NamesTest {
  private static final List<Class<?>> OPTIONS =
      List.of(
          NeighborLoader.Builder.class,
          Sampler.Builder.class,
          SampleRequest.class,
          Walks.class,
          Importance.class,
          Ppr.class,
          Hgt.class,
          Negatives.class,
          Pad.class,
          Supervision.class,
          NormOptions.class,
          PartitionOptions.class,
          TableOptions.class,
          DatasetBuilder.class,
          NeighborLoader.class,
          Sampler.class,
          Dataset.class);
  private static final Set<Class<?>> NUMBERS =
      Set.of(int.class, long.class, double.class, Integer.class, Long.class, Double.class);

  /** Whether {@code method(42)} compiles. */
  private static boolean takesNumber(Method method) {
    Class<?>[] types = method.getParameterTypes();
    if (types.length != 1) {
      return false;
    }
    Class<?> type = method.isVarArgs() ? types[0].getComponentType() : types[0];
    return NUMBERS.contains(type);
  }

  /** Whether one letter more, less or other makes one of the other. */
  private static boolean oneLetterApart(String one, String other) {
    if (one.length() > other.length()) {
      return oneLetterApart(other, one);
    }
    int same = 0;
    while (same < one.length() && one.charAt(same) == other.charAt(same)) {
      ++same;
    }
    int skipped = one.length() == other.length() ? 1 : 0;
    return !one.equals(other)
        && other.length() - one.length() <= 1
        && one.substring(Math.min(same + skipped, one.length())).equals(other.substring(same + 1));
  }

  @Test
  void noTwoNamesOneLetterApartTakeANumber() {
    List<String> found = new ArrayList<>();
    for (Class<?> options : OPTIONS) {
      List<String> names = new ArrayList<>();
      for (Method method : options.getMethods()) {
        if (Modifier.isPublic(method.getModifiers()) && takesNumber(method)) {
          names.add(method.getName());
        }
      }
      for (String one : names) {
        for (String other : names) {
          if (one.compareTo(other) < 0 && oneLetterApart(one, other)) {
            found.add(options.getSimpleName() + ": " + one + ", " + other);
          }
        }
      }
    }
    assertEquals(List.of(), found);
  }

  @Test
  void lettersAreCompared() {
    List<Boolean> apart =
        List.of(
            oneLetterApart("seed", "seeds"),
            oneLetterApart("walk", "wall"),
            oneLetterApart("seed", "seed"),
            oneLetterApart("seed", "weeds"));
    assertEquals(List.of(true, true, false, false), apart);
  }
}
