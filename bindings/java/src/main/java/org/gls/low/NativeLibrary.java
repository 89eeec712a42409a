package org.gls.low;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Finds and loads the native libraries: in the folder that the system property gls.library.path
 * names, else on java.library.path, else in the jar, from where they are copied into a cache.
 */
public final class NativeLibrary {
  private static final String LIBRARY = "libgls.so.0";
  private static final String BINDING = "libgls_jni.so";
  // Which libgls looks for beside itself.
  private static final String TCP = "libgls_tcp.so";
  private static final String CUDA = "libgls_cuda.so";
  private static final int HASH_LENGTH = 16;

  private static String loaded;

  private NativeLibrary() {}

  /** Loads them once; later calls do nothing. */
  public static synchronized void load() {
    if (loaded == null) {
      loaded = find();
    }
  }

  /** Where they came from, for people. */
  public static synchronized String location() {
    load();
    return loaded;
  }

  private static String find() {
    String folder = System.getProperty("gls.library.path");
    if (folder != null) { // a named folder is the only one to search
      Path file = Path.of(folder).resolve(BINDING).toAbsolutePath();
      try {
        System.load(file.toString());
        return file.toString();
      } catch (UnsatisfiedLinkError error) {
        throw failure(List.of("gls.library.path = " + folder + ": " + error.getMessage()));
      }
    }
    List<String> tried = new ArrayList<>();
    try {
      System.loadLibrary("gls_jni");
      return "java.library.path";
    } catch (UnsatisfiedLinkError error) {
      tried.add("java.library.path: " + error.getMessage());
    }
    String resources = "/native/" + platform() + "/";
    try {
      Map<String, byte[]> files = readResources(resources);
      if (!files.containsKey(BINDING)) {
        tried.add("the jar: it carries no " + resources.substring(1) + BINDING);
        throw failure(tried);
      }
      return extractAndLoad(files, tried);
    } catch (IOException error) {
      tried.add("the jar, " + resources.substring(1) + ": " + error);
      throw failure(tried);
    }
  }

  private static UnsatisfiedLinkError failure(List<String> tried) {
    StringBuilder text = new StringBuilder("the native libraries of GLS were not found. Tried:");
    for (String line : tried) {
      text.append("\n  ").append(line);
    }
    if (System.getProperty("gls.library.path") == null) {
      text.append("\nThe system property gls.library.path names a folder that holds ");
      text.append(BINDING).append(" and ").append(LIBRARY);
    }
    return new UnsatisfiedLinkError(text.toString());
  }

  /** As in the names of the jar's folders: linux-x86_64. */
  static String platform() {
    String os = System.getProperty("os.name").toLowerCase(Locale.ROOT);
    String arch = System.getProperty("os.arch").toLowerCase(Locale.ROOT);
    if (arch.equals("amd64")) {
      arch = "x86_64";
    } else if (arch.equals("arm64")) {
      arch = "aarch64";
    }
    return os.replace(' ', '_') + "-" + arch;
  }

  /** Those there are; an installed libgls need not be carried. */
  private static Map<String, byte[]> readResources(String folder) throws IOException {
    Map<String, byte[]> files = new LinkedHashMap<>();
    for (String name : List.of(LIBRARY, BINDING, TCP, CUDA)) {
      try (InputStream in = NativeLibrary.class.getResourceAsStream(folder + name)) {
        if (in != null) {
          files.put(name, in.readAllBytes());
        }
      }
    }
    return files;
  }

  private static String extractAndLoad(Map<String, byte[]> files, List<String> tried) {
    String version = "gls-java-" + hash(files);
    for (Path parent : caches()) {
      Path folder = parent.resolve(version);
      try {
        extract(files, folder);
        Path file = folder.resolve(BINDING).toAbsolutePath();
        System.load(file.toString());
        return file.toString();
      } catch (IOException | UnsatisfiedLinkError | SecurityException error) {
        tried.add("the jar, copied to " + folder + ": " + error);
      }
    }
    throw failure(tried);
  }

  /** Where copies may be kept, best first. */
  private static List<Path> caches() {
    String given = System.getProperty("gls.cache.dir");
    if (given != null) {
      return List.of(Path.of(given));
    }
    List<Path> out = new ArrayList<>();
    String xdg = System.getenv("XDG_CACHE_HOME");
    String home = System.getProperty("user.home");
    if (xdg != null && Path.of(xdg).isAbsolute()) {
      out.add(Path.of(xdg));
    } else if (home != null && Path.of(home).isAbsolute()) {
      out.add(Path.of(home, ".cache"));
    }
    String user = System.getProperty("user.name", "user").replaceAll("[^A-Za-z0-9_.-]", "_");
    out.add(Path.of(System.getProperty("java.io.tmpdir"), "gls-" + user));
    return out;
  }

  /**
   * Copies the files, each at once: a process that reads the folder meanwhile sees whole files. An
   * existing file is used only when it is equal, byte for byte.
   */
  static void extract(Map<String, byte[]> files, Path folder) throws IOException {
    createPrivate(folder);
    for (Map.Entry<String, byte[]> entry : files.entrySet()) {
      Path file = folder.resolve(entry.getKey());
      if (Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)
          && Files.size(file) == entry.getValue().length
          && MessageDigest.isEqual(Files.readAllBytes(file), entry.getValue())) {
        continue;
      }
      Path temporary = Files.createTempFile(folder, entry.getKey(), ".tmp");
      try {
        Files.write(temporary, entry.getValue());
        Files.move(
            temporary, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
      } finally {
        Files.deleteIfExists(temporary);
      }
    }
  }

  /** A folder that no other user may have made: they could put libraries of their own into it. */
  private static void createPrivate(Path folder) throws IOException {
    Path parent = folder.toAbsolutePath().getParent();
    Files.createDirectories(parent);
    try {
      Files.createDirectory(
          folder,
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    } catch (FileAlreadyExistsException there) {
      Path probe = Files.createTempFile(parent, "gls", ".owner");
      try {
        if (!Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)
            || !Files.getOwner(folder, LinkOption.NOFOLLOW_LINKS).equals(Files.getOwner(probe))) {
          throw new IOException("it is no folder, or belongs to another user", there);
        }
      } finally {
        Files.deleteIfExists(probe);
      }
    }
  }

  private static String hash(Map<String, byte[]> files) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      for (Map.Entry<String, byte[]> entry : files.entrySet()) {
        digest.update(entry.getKey().getBytes(java.nio.charset.StandardCharsets.UTF_8));
        digest.update(entry.getValue());
      }
      return HexFormat.of().formatHex(digest.digest()).substring(0, HASH_LENGTH);
    } catch (NoSuchAlgorithmException error) {
      throw new IllegalStateException(error); // every Java has it
    }
  }
}
