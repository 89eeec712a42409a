package org.gls;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Recipes without the plugin that reads them; tests/formats has it. */
final class RecipeTest {
  @Test
  void withoutThePluginErrorsSayWhatIsMissing() {
    Context context = Context.getDefault();
    GlsException read =
        assertThrows(
            GlsException.Unsupported.class, () -> Recipe.read(context, "edges: {}", Path.of("")));
    GlsException made =
        assertThrows(
            GlsException.Unsupported.class,
            () -> Recipe.ofFormat(context, "pyg", Path.of("data.pt"), Map.of("split", "0")));
    for (GlsException error : List.of(read, made)) {
      assertTrue(error.getMessage().contains("libgls_formats.so"), error.getMessage());
    }
    assertThrows(NullPointerException.class, () -> Recipe.read(context, null, Path.of("")));
  }
}
