package org.gls;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Where datasets, samplers and loaders work and arrays lie: memory of the host, or that of a GPU.
 *
 * @param type as DLPack numbers them: 1 is the host, 2 a GPU by CUDA
 * @param index which of them, from 0
 */
public record Device(int type, int index) {
  private static final int CPU = 1;
  private static final int CUDA = 2;
  private static final Pattern NAME = Pattern.compile("(cpu|cuda)(?::(\\d{1,9}))?");

  /** Memory of the host. */
  public static final Device HOST = new Device(CPU, 0);

  /**
   * A GPU.
   *
   * @param index from 0, as {@code CUDA_VISIBLE_DEVICES} leaves them
   * @return a device; its first use finds out whether it exists
   */
  public static Device cuda(int index) {
    if (index < 0) {
      throw GlsException.invalid("device", index + " is negative");
    }
    return new Device(CUDA, index);
  }

  /**
   * A device by its name.
   *
   * @param name "cpu", "cuda:1", or "cuda". The last is the GPU with the number in the environment
   *     variable LOCAL_RANK, which torchrun sets for each process of a machine. Without the
   *     variable it is the first GPU
   * @return a device; its first use finds out whether it exists
   * @throws GlsException.InvalidArgument for another name
   * @throws GlsException.InvalidState if LOCAL_RANK is not a number
   */
  public static Device of(String name) {
    Matcher found = NAME.matcher(Objects.requireNonNull(name, "name"));
    boolean known = found.matches();
    if (!known || (found.group(1).equals("cpu") && !"0".equals(orZero(found.group(2))))) {
      throw GlsException.invalid(
          "device", "\"" + name + "\" is not \"cpu\", \"cuda\" or a GPU like \"cuda:0\"");
    }
    if (found.group(1).equals("cpu")) {
      return HOST;
    }
    return cuda(found.group(2) != null ? Integer.parseInt(found.group(2)) : localRank());
  }

  private static String orZero(String digits) {
    return digits == null ? "0" : digits;
  }

  private static int localRank() {
    String given = orZero(System.getenv("LOCAL_RANK"));
    if (!given.matches("\\d{1,9}")) {
      throw new GlsException.InvalidState(
          "device is \"cuda\", which is the GPU that LOCAL_RANK numbers, but that is \""
              + given
              + "\"",
          java.util.Map.of());
    }
    return Integer.parseInt(given);
  }

  /**
   * The GPUs that can be used.
   *
   * @return empty without a GPU, or when GPUs cannot be used: {@link #info} of the first gives the
   *     reason
   */
  public static List<Device> all() {
    List<Device> out = new ArrayList<>();
    for (int i = 0; i < org.gls.low.DeviceInfo.count(); ++i) {
      out.add(cuda(i));
    }
    return Collections.unmodifiableList(out);
  }

  /**
   * Describes a GPU.
   *
   * @return as it is now
   * @throws GlsException.Unsupported if this GPU does not exist, or GPUs cannot be used here; the
   *     text gives the reason
   * @throws GlsException.InvalidArgument for the host
   */
  public DeviceInfo info() {
    org.gls.low.DeviceInfo low = new org.gls.low.DeviceInfo(type, index);
    try {
      return new DeviceInfo(
          this, low.name(), low.bytes(), low.freeBytes(), low.majorVersion(), low.minorVersion());
    } finally {
      low.delete();
    }
  }

  /**
   * Whether the processor reads its memory.
   *
   * @return false for a GPU
   */
  public boolean isHost() {
    return type == CPU;
  }

  /** As {@link #of} takes it. */
  @Override
  public String toString() {
    return switch (type) {
      case CPU -> "cpu";
      case CUDA -> "cuda:" + index;
      default -> "device " + index + " of type " + type;
    };
  }
}
