#!/usr/bin/env python3
"""Gives the constants in Rust the types that gls.h names for them, in place of those of bindgen.

    scripts/checks/rust_constants.py BINDINGS

bindgen calls the type of an enum without a name _bindgen_ty_1, _bindgen_ty_2, ... In gls.h a typedef
comes right before each enum, and fields and parameters use it: ::gls_direction_t. With that type
constants and fields fit each other without a conversion.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests" / "capi"))
from gls_header import read_declarations  # noqa: E402


def main(path: Path) -> int:
    types = {
        item.name: declaration.name
        for declaration in read_declarations(ROOT / "include" / "gls.h")
        if declaration.kind == "enum"
        for item in declaration.items
    }
    text = re.sub(
        r"^pub const (\w+): _bindgen_ty_\d+ =",
        lambda match: f"pub const {match[1]}: {types[match[1]]} =",
        path.read_text("utf-8"),
        flags=re.M,
    )
    text = re.sub(r"^pub type _bindgen_ty_\d+ = .*;\n", "", text, flags=re.M)
    path.write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
