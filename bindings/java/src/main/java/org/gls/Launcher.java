package org.gls;

/** Who says which place a process has in a {@link Group}, where its options do not. */
public enum Launcher {
  /** Whoever has set its variables; nobody: the process is alone, in a group of one. */
  AUTO(0),
  /** Nobody: {@link Group.Builder#place} is needed. */
  ARGUMENTS(1),
  /** Torchrun. */
  TORCHRUN(2),
  /** Open MPI. */
  OPENMPI(3),
  /** Slurm. */
  SLURM(4),
  /** PMIx, and MPICH and its kin. */
  PMIX(5);

  final int number; // in gls.h

  Launcher(int number) {
    this.number = number;
  }

  static Launcher of(int number) {
    for (Launcher one : values()) {
      if (one.number == number) {
        return one;
      }
    }
    return AUTO;
  }
}
