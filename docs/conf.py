"""The documentation site; scripts/docs.sh builds it."""

import re
import sys
from pathlib import Path

from sphinx.ext.napoleon import Config, GoogleDocstring
from sphinx.util import logging

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "docs" / "_ext"))

numbers = re.findall(
    r"^#define GLS_VERSION_[A-Z]+ (\d+)$",
    (ROOT / "include" / "gls" / "version.h").read_text(),
    re.M,
)

project = "GLS"
copyright = "the GLS authors; Apache-2.0"
version = release = ".".join(numbers)

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.graphviz",
    "gls_reference",
]
exclude_patterns = ["_ext", "requirements.txt"]
myst_heading_anchors = 3
# Blocks without a language are commands, output and formulas.
highlight_language = "text"
nitpicky = True
nitpick_ignore_regex = [
    # Other packages' types, as they stand in signatures.
    (
        "py:class",
        r"(os|numpy|torch|torch_geometric|logging)\..*|NDArray|TracebackType|Buffer|(Hetero)?Data",
    ),
    ("py:class", r"gls\.types\.Supports(DLPack|ArrowStream)"),
    ("py:class", r"gls\._loading\.loader\.Loader"),  # any loader
    ("py:class", r"gls\._data\.store\.Store|(Row|Neighbor)Fetch|Lists"),  # any store
    ("py:class", r"Function|gls\._core\.calls\.T_co|gls\._low\.glslow\.CallTask"),  # of callers
    ("c:identifier", r"u?int\d+_t|size_t|Arrow(Schema|Array|ArrayStream)"),
    # Of the standard library, and of gls.h, which C++ pages name in prose.
    (
        "cpp:identifier",
        r"std|u?int\d+_t|size_t|DL\w+|Arrow(Schema|Array|ArrayStream)|gls|gls_\w+|GLS_\w+|T",
    ),
]

graphviz_output_format = "svg"
html_theme = "furo"
html_title = f"GLS {release}"
html_show_sourcelink = False
html_copy_source = False
html_static_path = ["_static"]
html_css_files = ["gls.css"]

# gls.pyg names their types; nothing of them is called.
autodoc_mock_imports = ["torch", "torch_geometric", "dgl"]
autodoc_default_options = {"undoc-members": True}  # which are refused below
autodoc_member_order = "bysource"
autodoc_typehints = "signature"


def google_style(app, what, name, obj, options, lines):
    """Napoleon, but for attributes: there it takes all up to a colon for a type."""
    if not any(lines) and what in ("class", "exception", "function", "method", "property"):
        logging.getLogger(__name__).warning("%s has no docstring", name)
    if what not in ("attribute", "data", "property"):
        lines[:] = GoogleDocstring("\n".join(lines), Config(), what=what).lines()


def without_handles(app, what, name, obj, options, signature, returns):
    """Users do not make these by calling the class."""
    made = (
        r"gls\.(Dataset|Partition|Batch|NodeArrays|EdgeArrays|Block|BlockNodes|BlockEdges|Tensor|"
        r"AttachedLoader)"
    )
    return ("", None) if what == "class" and re.fullmatch(made, name) else None


def find_public_name(app, env, node, contnode):
    """A name of the package, given without it or with the module it lies in; also of an alias."""
    if node.get("refdomain") == "py":
        name, domain = node["reftarget"].split(".")[-1], env.get_domain("py")
        for module in ("gls", "gls.types"):
            target = f"{module}.{name}"
            if target in domain.objects:
                return domain.resolve_xref(
                    env, node["refdoc"], app.builder, "obj", target, node, contnode
                )
    return None


def look_for_all_names(app, env):
    """Whether the page of the Python package has every name of it."""
    import gls

    documented = env.get_domain("py").objects
    for name in gls.__all__:
        if f"gls.{name}" not in documented:
            logging.getLogger(__name__).warning("gls.%s is not in the reference", name)


def list_decisions(app, docname, source):
    """The index of decisions is a table of links; this puts its pages below it in the menu."""
    if docname == "decisions/README":
        source[0] += "\n```{toctree}\n:hidden:\n:glob:\n\n0*\n```\n"


def setup(app):
    app.connect("env-check-consistency", look_for_all_names)
    app.connect("source-read", list_decisions)
    app.connect("autodoc-process-docstring", google_style)
    app.connect("autodoc-process-signature", without_handles)
    app.connect("missing-reference", find_public_name)
