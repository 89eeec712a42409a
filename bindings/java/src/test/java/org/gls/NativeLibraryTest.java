package org.gls;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.gls.support.Processes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How the native libraries are found, seen from fresh processes. */
class NativeLibraryTest {
  /** Prints where the libraries were found. */
  static final class Where {
    private Where() {}

    public static void main(String[] arguments) {
      System.out.println(Context.libraryVersion() + " from " + Context.libraryLocation());
    }
  }

  @TempDir Path folder;

  private static Path carried() throws Exception {
    URL url = Context.class.getResource("/native/linux-" + arch() + "/libgls_jni.so");
    return Path.of(url.toURI()).getParent();
  }

  private static String arch() {
    String arch = System.getProperty("os.arch");
    return arch.equals("amd64") ? "x86_64" : arch;
  }

  private static String cache(Path path) {
    return "-Dgls.cache.dir=" + path;
  }

  private List<Path> files(Path root) throws IOException {
    try (Stream<Path> paths = Files.walk(root)) {
      return paths.filter(Files::isRegularFile).sorted().toList();
    }
  }

  @Test
  void theJarsAreCopiedOnce() throws Exception {
    Path cache = folder.resolve("new/cache");
    String first = Processes.java(cache(cache), Where.class);
    assertTrue(first.contains(cache.toString()), first);
    List<Path> files = files(cache);
    assertEquals(3, files.size(), files::toString);
    var modified = Files.getLastModifiedTime(files.get(0));
    assertEquals(first, Processes.java(cache(cache), Where.class));
    assertEquals(modified, Files.getLastModifiedTime(files.get(0)));
    // A damaged copy is replaced.
    byte[] good = Files.readAllBytes(files.get(1));
    byte[] bad = good.clone();
    bad[bad.length / 2] ^= 1;
    Files.write(files.get(1), bad);
    assertEquals(first, Processes.java(cache(cache), Where.class));
    assertEquals(-1, Files.mismatch(files.get(1), write("good", good)));
  }

  private Path write(String name, byte[] bytes) throws IOException {
    return Files.write(folder.resolve(name), bytes);
  }

  @Test
  void manyMayCopyAtOnce() throws Exception {
    Path cache = folder.resolve("cache");
    List<CompletableFuture<String>> all = new ArrayList<>();
    for (int i = 0; i < 6; ++i) {
      all.add(
          CompletableFuture.supplyAsync(
              () -> {
                try {
                  return Processes.java(cache(cache), Where.class);
                } catch (IOException | InterruptedException error) {
                  throw new AssertionError(error);
                }
              }));
    }
    for (CompletableFuture<String> one : all) {
      assertEquals(all.get(0).get(), one.get());
    }
    assertEquals(3, files(cache).size());
  }

  @Test
  void aFolderCanBeNamed() throws Exception {
    String out =
        Processes.java(
            "-Dgls.library.path=" + carried(), cache(folder.resolve("unused")), Where.class);
    assertTrue(out.contains(carried().resolve("libgls_jni.so").toString()), out);
    assertTrue(Files.notExists(folder.resolve("unused")));
    out = Processes.java("-Djava.library.path=" + carried(), Where.class);
    assertTrue(out.contains("java.library.path"), out);
  }

  @Test
  void failureSaysWhatWasTried() throws Exception {
    Processes.Result named =
        Processes.run("-Dgls.library.path=" + folder.resolve("none"), Where.class);
    assertTrue(named.status() != 0);
    assertTrue(
        named.out().contains("UnsatisfiedLinkError")
            && named.out().contains("gls.library.path = " + folder.resolve("none")),
        named::out);
    Path file = write("file", new byte[1]); // where no folder can be
    Processes.Result tried = Processes.run(cache(file), Where.class);
    assertTrue(tried.status() != 0);
    assertTrue(
        tried.out().contains("java.library.path:")
            && tried.out().contains("the jar, copied to " + file)
            && tried.out().contains("names a folder"),
        tried::out);
  }
}
