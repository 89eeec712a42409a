package org.gls;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.gls.support.Graphs;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Exports without the plugin that writes them; tests/formats has it. */
final class ExportTest {
  @Test
  void withoutThePluginErrorsSayWhatIsMissing(@TempDir Path folder) {
    Path path = folder.resolve("out");
    try (Dataset dataset = Graphs.random()) {
      GlsException plain =
          assertThrows(GlsException.Unsupported.class, () -> dataset.export("parquet", path));
      ExportOptions options =
          new ExportOptions()
              .choice("split", "0")
              .overwrite(true)
              .progress((stage, done, total, unit) -> {});
      GlsException chosen =
          assertThrows(GlsException.Unsupported.class, () -> dataset.export("dgl", path, options));
      for (GlsException error : List.of(plain, chosen)) {
        assertTrue(error.getMessage().contains("libgls_formats.so"), error.getMessage());
      }
      assertThrows(NullPointerException.class, () -> dataset.export("dgl", null));
      assertThrows(NullPointerException.class, () -> options.choice("split", null));
    }
    assertFalse(Files.exists(path));
  }
}
