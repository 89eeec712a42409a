package org.gls;

import java.util.OptionalInt;
import org.gls.low.CallTask;

/** What a function of this process was called with. */
public final class Call {
  private final Handle<CallTask> handle;
  private final byte[] data;
  private final String function;
  private final String caller;
  private final long rank;
  private final long part;

  /** Whoever does not answer, as a stage that nobody completes, leaves an error in the end. */
  Call(CallTask task) {
    handle = new Handle<>("call", task, CallTask::delete);
    NativeMemory.CLEANER.register(this, handle::close);
    data = task.bytes();
    function = task.function();
    caller = task.caller();
    rank = task.rank();
    part = task.part();
  }

  /**
   * What the caller gave.
   *
   * @return the array itself
   */
  public byte[] data() {
    return data;
  }

  /**
   * The name that it was called by.
   *
   * @return of the function
   */
  public String function() {
    return function;
  }

  /**
   * Who calls.
   *
   * @return the name of the process, and where it is
   */
  public String caller() {
    return caller;
  }

  /**
   * The rank in the group of who calls.
   *
   * @return empty: it calls as a client of a server
   */
  public OptionalInt rank() {
    return rank < 0 ? OptionalInt.empty() : OptionalInt.of((int) rank);
  }

  /**
   * The part of the graph that it was called for.
   *
   * @return empty: it was called as a process of a group
   */
  public OptionalInt part() {
    return part < 0 ? OptionalInt.empty() : OptionalInt.of((int) part);
  }

  /**
   * Whether nobody waits for the answer any more.
   *
   * @return true also when it was answered
   */
  public boolean isCanceled() {
    try {
      return handle.call(CallTask::canceled);
    } catch (IllegalStateException answered) {
      return true;
    }
  }

  void reply(byte[] answer) {
    Answers.withBytes(
        answer,
        low -> {
          handle.run(task -> task.reply(low));
          return null;
        });
    handle.close();
  }

  void fail(Throwable error) {
    // As of a transform: what is not known is the fault of who gave the function.
    int status = error instanceof GlsException known ? known.status() : -1;
    String words = String.valueOf(error).replace('\0', ' ');
    try {
      handle.run(task -> task.fail(status, words));
    } catch (GlsException | IllegalStateException answered) {
      // or there is no memory: then the caller is told that there was no answer
    }
    handle.close();
  }
}
