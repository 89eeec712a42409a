"""gls import gigl: the metadata of types, their tables, and what cannot be read."""

import shutil
from pathlib import Path

from cli.conftest import Tool

from formats import golden

FOLDER = golden.GOLDEN / "gigl"
ROOT = ["--choose", "root=gs://bucket/job"]


def test_the_golden_files(tool: Tool) -> None:
    tool.run("import", "gigl", FOLDER / "frozen_gbml_config.yaml", "-o", "out", *ROOT)
    golden.check(tool.folder / "out", FOLDER / "expected.npz")


def test_the_metadata_with_a_configuration(tool: Tool) -> None:
    config = ["--choose", "config=frozen_gbml_config.yaml"]
    metadata = FOLDER / "preprocessed_metadata.yaml"
    tool.run("import", "gigl", metadata, "-o", "out", *ROOT, *config)
    golden.check(tool.folder / "out", FOLDER / "expected.npz")
    assert "has no name" in tool.error("import", "gigl", metadata, "-o", "b", *ROOT)


def test_remote_files_are_refused(tool: Tool) -> None:
    config = FOLDER / "frozen_gbml_config.yaml"
    assert "root=URI" in tool.error("import", "gigl", config, "-o", "out")
    config = Path(shutil.copytree(FOLDER, tool.folder / "in")) / "frozen_gbml_config.yaml"
    config.write_text(config.read_text().replace("gs://bucket/job/", "gs://bucket/job/../"))
    assert "leads out" in tool.error("import", "gigl", config, "-o", "out", *ROOT)


def test_quantised_features(tool: Tool) -> None:
    folder = Path(shutil.copytree(FOLDER, tool.folder / "in"))
    path = folder / "preprocessed_metadata.yaml"
    packed = "    nodeIdKey: story_id\n    quantizedFeatureMetadata: {packedFeatureKey: packed}\n"
    text = path.read_text()
    path.write_text(text.replace("    nodeIdKey: story_id\n", packed))
    config = folder / "frozen_gbml_config.yaml"
    assert "quantised" in tool.error("import", "gigl", config, "-o", "out", *ROOT)
    tool.run("import", "gigl", config, "-o", "out", *ROOT, "--choose", "quantized=skip")
