package org.gls;

import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.gls.internal.NativeMemory;
import org.gls.low.CallQueue;
import org.gls.low.CallTask;

/**
 * Runs the functions that other processes call. The library's threads leave calls in a queue;
 * threads of Java take them out, so that no thread of the library ever runs Java code. They refer
 * to this and not to the group or server: when the library lets go of that, it closes the queue.
 */
final class Functions {
  private final CallQueue queue = new CallQueue();
  private final int mostThreads;
  private final Map<String, Consumer<Call>> functions = new HashMap<>();
  private int threads;
  private int idle; // of these

  Functions(int mostThreads) {
    this.mostThreads = mostThreads;
    NativeMemory.CLEANER.register(this, queue::delete);
  }

  /** As many as the library's own. */
  static int threadsOf(Context context) {
    int threads = Integer.parseInt(context.get("threads"));
    return threads > 0 ? threads : Runtime.getRuntime().availableProcessors();
  }

  /** {@code register} registers it in the library. */
  void add(String name, CallFunction function, BiConsumer<String, CallQueue> register) {
    Objects.requireNonNull(function, "function");
    put(
        name,
        call -> {
          try {
            call.reply(function.apply(call));
          } catch (Throwable error) { // whatever it is, it is for the caller
            call.fail(error);
          }
        },
        register);
  }

  void addLater(String name, CallFunctionLater function, BiConsumer<String, CallQueue> register) {
    Objects.requireNonNull(function, "function");
    put(
        name,
        call -> {
          try {
            CompletionStage<byte[]> answer = function.apply(call);
            answer.whenComplete((bytes, error) -> answer(call, bytes, error));
          } catch (Throwable error) {
            call.fail(error);
          }
        },
        register);
  }

  private static void answer(Call call, byte[] bytes, Throwable error) {
    if (error != null) {
      boolean wrapped = error instanceof CompletionException && error.getCause() != null;
      call.fail(wrapped ? error.getCause() : error);
      return;
    }
    try {
      call.reply(bytes);
    } catch (RuntimeException | Error failure) { // too many bytes
      call.fail(failure);
    }
  }

  private synchronized void put(
      String name, Consumer<Call> function, BiConsumer<String, CallQueue> register) {
    // A second one of a name is refused there, and the first stays.
    register.accept(Objects.requireNonNull(name, "name"), queue);
    functions.put(name, function);
    if (threads == 0) {
      addThread();
    }
  }

  private void addThread() {
    Thread thread = new Thread(this::serve, "gls-function");
    thread.setDaemon(true);
    thread.start();
    ++threads;
    ++idle; // soon; a call must not see a count of zero meanwhile
  }

  private void serve() {
    for (; ; ) {
      CallTask task = queue.next(-1);
      Consumer<Call> function;
      synchronized (this) {
        --idle;
        if (task == null) {
          return;
        }
        // One more thread for the next call, up to the most.
        if (idle == 0 && threads < mostThreads) {
          try {
            addThread();
          } catch (OutOfMemoryError error) {
            // The system has no more threads: the running ones take all calls.
          }
        }
        function = functions.get(task.function());
      }
      function.accept(new Call(task));
      synchronized (this) {
        ++idle;
      }
    }
  }

  /** Queued calls that no thread has taken end with an error. */
  void close() {
    queue.close();
  }
}
