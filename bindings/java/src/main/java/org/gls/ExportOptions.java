package org.gls;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.gls.low.Choices;

/** How a dataset is exported; see {@link Dataset#export(String, Path, ExportOptions)}. */
public final class ExportOptions {
  private final Map<String, String> choices = new LinkedHashMap<>();
  private boolean overwrite;
  private Progress progress;

  /** Defaults. */
  public ExportOptions() {}

  /**
   * A choice that the format documents.
   *
   * @param name of the choice
   * @param value of the choice; the last one counts
   * @return this
   */
  public ExportOptions choice(String name, String value) {
    choices.put(Objects.requireNonNull(name, "name"), Objects.requireNonNull(value, "value"));
    return this;
  }

  /**
   * Whether an earlier export, an empty folder or a file at the path may be replaced.
   *
   * @param overwrite false by default
   * @return this
   */
  public ExportOptions overwrite(boolean overwrite) {
    this.overwrite = overwrite;
    return this;
  }

  /**
   * Where to report the progress.
   *
   * @param progress null, the default: it is not reported
   * @return this
   */
  public ExportOptions progress(Progress progress) {
    this.progress = progress;
    return this;
  }

  void export(org.gls.low.Dataset dataset, String format, String path) {
    Choices low = new Choices();
    try {
      choices.forEach((name, value) -> low.add(name + "=" + value));
      dataset.exportTo(format, path, low, overwrite, Interruptible.of(progress));
    } finally {
      low.delete();
    }
  }
}
