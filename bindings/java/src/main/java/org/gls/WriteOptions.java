package org.gls;

import java.util.Arrays;

/** How datasets are built, written and saved. */
public final class WriteOptions {
  private long memory;
  private int layouts;
  private boolean overwrite;
  private boolean rowPadding = true;
  private Progress progress;

  /** Defaults. */
  public WriteOptions() {}

  /**
   * Bytes the call may use besides its input.
   *
   * @param bytes 0, the default: a quarter of the machine's
   * @return this
   */
  public WriteOptions memory(long bytes) {
    if (bytes < 0) {
      throw GlsException.invalid("memory", bytes + " is negative");
    }
    this.memory = bytes;
    return this;
  }

  /**
   * Which topologies to store, and so which directions can be sampled.
   *
   * @param layouts none, the default: CSC for builders, those there are for {@link Dataset#save}
   * @return this
   */
  public WriteOptions layouts(Layout... layouts) {
    this.layouts = Layout.bits(Arrays.asList(layouts));
    return this;
  }

  /**
   * Whether an existing dataset may be replaced. Not for building in memory.
   *
   * @param overwrite false by default
   * @return this
   */
  public WriteOptions overwrite(boolean overwrite) {
    this.overwrite = overwrite;
    return this;
  }

  /**
   * Whether rows of columns are padded to cache lines. Not for building in memory.
   *
   * @param rowPadding true by default
   * @return this
   */
  public WriteOptions rowPadding(boolean rowPadding) {
    this.rowPadding = rowPadding;
    return this;
  }

  /**
   * Where to report the progress.
   *
   * @param progress null, the default: it is not reported
   * @return this
   */
  public WriteOptions progress(Progress progress) {
    this.progress = progress;
    return this;
  }

  Progress progress() {
    return Interruptible.of(progress);
  }

  /** To be deleted by the caller. */
  org.gls.low.WriteOptions low() {
    org.gls.low.WriteOptions low = new org.gls.low.WriteOptions();
    low.setMemory(memory);
    low.setLayouts(layouts);
    low.setOverwrite(overwrite);
    low.setRowPadding(rowPadding);
    return low;
  }
}
