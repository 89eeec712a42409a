package org.gls;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.gls.low.glsjni;

/**
 * A call that failed. The subclass tells how to handle it. Each subclass stands for one status of
 * the library; a status that this version does not know becomes an {@link Internal}.
 *
 * <p>Code that the library calls, such as that of a {@link Store}, chooses the status of its error
 * by throwing one of these.
 */
public class GlsException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** The number gls.h gives to this kind of failure. */
  private final int status;

  /** What the error is about. */
  @SuppressWarnings("serial") // an unmodifiable LinkedHashMap of strings
  private final Map<String, String> details;

  GlsException(int status, String message, Map<String, String> details) {
    super(message);
    this.status = status;
    this.details = Collections.unmodifiableMap(new LinkedHashMap<>(details));
  }

  /**
   * The number gls.h gives to this kind of failure.
   *
   * @return a negative number
   */
  public final int status() {
    return status;
  }

  /**
   * The name of the status in gls.h.
   *
   * @return for example "GLS_ERR_IO"
   */
  public final String statusName() {
    return glsjni.statusName(status);
  }

  /**
   * What the error is about, for programs.
   *
   * @return all details of the library, with their values: some of "argument", "file", "type",
   *     "column", "setting", "offset" (of a byte or an element), "line" (of a text file). For an
   *     Arrow stream: "row" and "field"; for a manifest: "field"
   */
  public final Map<String, String> details() {
    return details;
  }

  /** The call is wrong: mend the call. */
  public static final class InvalidArgument extends GlsException {
    private static final long serialVersionUID = 1L;

    /**
     * An error of the caller's own code, such as that of a {@link Store}.
     *
     * @param message its words
     */
    public InvalidArgument(String message) {
      this(message, Map.of());
    }

    InvalidArgument(String message, Map<String, String> details) {
      super(-1, message, details);
    }
  }

  /** Memory, or a stated bound on it, does not suffice. */
  public static final class OutOfMemory extends GlsException {
    private static final long serialVersionUID = 1L;

    /**
     * An error of the caller's own code, such as that of a {@link Store}.
     *
     * @param message its words
     */
    public OutOfMemory(String message) {
      this(message, Map.of());
    }

    OutOfMemory(String message, Map<String, String> details) {
      super(-2, message, details);
    }
  }

  /** A type, column, set or key does not exist. */
  public static class NotFound extends GlsException {
    private static final long serialVersionUID = 1L;

    /**
     * An error of the caller's own code, such as that of a {@link Store}.
     *
     * @param message its words
     */
    public NotFound(String message) {
      this(message, Map.of());
    }

    NotFound(String message, Map<String, String> details) {
      super(-3, message, details);
    }
  }

  /** A file or folder does not exist. */
  public static final class FileNotFound extends NotFound {
    private static final long serialVersionUID = 1L;

    FileNotFound(String message, Map<String, String> details) {
      super(message, details);
    }
  }

  /** Valid, but not by this build, machine or dataset. */
  public static final class Unsupported extends GlsException {
    private static final long serialVersionUID = 1L;

    /**
     * An error of the caller's own code, such as that of a {@link Store}.
     *
     * @param message its words
     */
    public Unsupported(String message) {
      this(message, Map.of());
    }

    Unsupported(String message, Map<String, String> details) {
      super(-4, message, details);
    }
  }

  /** The right call at the wrong moment. */
  public static final class InvalidState extends GlsException {
    private static final long serialVersionUID = 1L;

    /**
     * An error of the caller's own code, such as that of a {@link Store}.
     *
     * @param message its words
     */
    public InvalidState(String message) {
      this(message, Map.of());
    }

    InvalidState(String message, Map<String, String> details) {
      super(-5, message, details);
    }
  }

  /** A deadline passed. */
  public static final class TimedOut extends GlsException {
    private static final long serialVersionUID = 1L;

    /**
     * An error of the caller's own code, such as that of a {@link Store}.
     *
     * @param message its words
     */
    public TimedOut(String message) {
      this(message, Map.of());
    }

    TimedOut(String message, Map<String, String> details) {
      super(-6, message, details);
    }
  }

  /** The call was cancelled. */
  public static class Canceled extends GlsException {
    private static final long serialVersionUID = 1L;

    /**
     * An error of the caller's own code, such as that of a {@link Store}.
     *
     * @param message its words
     */
    public Canceled(String message) {
      this(message, Map.of());
    }

    Canceled(String message, Map<String, String> details) {
      super(-7, message, details);
    }
  }

  /** The thread was interrupted while it waited. Its interrupt flag is still set. */
  public static final class Interrupted extends Canceled {
    private static final long serialVersionUID = 1L;

    Interrupted(String message) {
      super(message, Map.of());
    }
  }

  /** The operating system refused: file, disk, permission. */
  public static final class IoError extends GlsException {
    private static final long serialVersionUID = 1L;

    /**
     * An error of the caller's own code, such as that of a {@link Store}.
     *
     * @param message its words
     */
    public IoError(String message) {
      this(message, Map.of());
    }

    IoError(String message, Map<String, String> details) {
      super(-8, message, details);
    }
  }

  /** A file or array is damaged or inconsistent. */
  public static final class CorruptData extends GlsException {
    private static final long serialVersionUID = 1L;

    /**
     * An error of the caller's own code, such as that of a {@link Store}.
     *
     * @param message its words
     */
    public CorruptData(String message) {
      this(message, Map.of());
    }

    CorruptData(String message, Map<String, String> details) {
      super(-9, message, details);
    }
  }

  /** The thing to be created is there already. */
  public static class AlreadyExists extends GlsException {
    private static final long serialVersionUID = 1L;

    /**
     * An error of the caller's own code, such as that of a {@link Store}.
     *
     * @param message its words
     */
    public AlreadyExists(String message) {
      this(message, Map.of());
    }

    AlreadyExists(String message, Map<String, String> details) {
      super(-10, message, details);
    }
  }

  /** A file or folder is there already. */
  public static final class FileExists extends AlreadyExists {
    private static final long serialVersionUID = 1L;

    FileExists(String message, Map<String, String> details) {
      super(message, details);
    }
  }

  /** A fault of the library: please report it. */
  public static final class Internal extends GlsException {
    private static final long serialVersionUID = 1L;

    Internal(int status, String message, Map<String, String> details) {
      super(status, message, details);
    }
  }

  /** Called by the native half: details are keys and values in turn. */
  static GlsException of(int status, String message, String[] details) {
    Map<String, String> map = new LinkedHashMap<>();
    for (int i = 0; i + 1 < details.length; i += 2) {
      map.put(details[i], details[i + 1]);
    }
    return OwnNames.of(status, message, map);
  }

  /** The exception of a status. */
  static GlsException made(int status, String message, Map<String, String> map) {
    boolean file = map.containsKey("file");
    switch (status) {
      case -1:
        return new InvalidArgument(message, map);
      case -2:
        return new OutOfMemory(message, map);
      case -3:
        return file ? new FileNotFound(message, map) : new NotFound(message, map);
      case -4:
        return new Unsupported(message, map);
      case -5:
        return new InvalidState(message, map);
      case -6:
        return new TimedOut(message, map);
      case -7:
        return new Canceled(message, map);
      case -8:
        return new IoError(message, map);
      case -9:
        return new CorruptData(message, map);
      case -10:
        return file ? new FileExists(message, map) : new AlreadyExists(message, map);
      default:
        return new Internal(status, message, map);
    }
  }

  /** The error of a check made here, before the library is called. */
  static InvalidArgument invalid(String argument, String message) {
    return new InvalidArgument(argument + ": " + message, Map.of("argument", argument));
  }
}
