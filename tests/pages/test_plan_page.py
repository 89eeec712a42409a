"""The page of a plan, tools/commands/plan_page.html, in a browser."""

import json
from typing import Any, Callable, List

import pytest
from browser import Browser, find_browser
from plans import BREAKOUT, LONG, UNBROKEN, empty, full, hostile, many, mapped

Show = Callable[..., Browser]
PLANS = [full, hostile, empty, mapped, many]
GIB = 1024**3


def texts(browser: Browser, selector: str) -> List[str]:
    """What elements show, without line breaks and with plain spaces."""
    found = f"[...document.querySelectorAll({json.dumps(selector)})]"
    return [
        " ".join(text.split()) for text in browser.evaluate(f"{found}.map((e) => e.textContent)")
    ]


def numbers(browser: Browser, selector: str, *names: str) -> Any:
    """Attributes of elements, as numbers."""
    found = f"[...document.querySelectorAll({json.dumps(selector)})]"
    return browser.evaluate(
        f"{found}.map((e) => {json.dumps(names)}.map((n) => Number(e.getAttribute(n))))"
    )


def rows(browser: Browser, caption: str) -> List[List[str]]:
    """The body of the table with this caption."""
    found = browser.evaluate(
        f"""(() => {{
      const tables = [...document.querySelectorAll("table")];
      const table = tables.find((t) => t.caption.textContent === {json.dumps(caption)});
      return [...table.querySelectorAll("tbody tr")].map((r) => [...r.cells].map((c) => c.textContent));
    }})()"""
    )
    return [[" ".join(cell.split()) for cell in row] for row in found]


def test_headline(show: Show) -> None:
    browser = show(full())
    assert browser.evaluate("document.title") == "Plan of an epoch"
    assert texts(browser, "#headline") == [
        "This plan covers 1,000 of 78,125 batches of epoch 0. "
        "A batch has 36,251 nodes and 45,000 edges on average, from 256 seeds. "
        "The batches use 13,000,000 different rows of planned columns, "
        "6.2 GiB of the 9.5 GiB in their files."
    ]
    assert texts(browser, ".notice") == [
        "All figures on this page are of the planned batches: 1,000 of 78,125 batches, 1.3 %. "
        "They are not of the whole epoch."
    ]


def test_a_plan_of_the_whole_epoch_has_no_notice(show: Show) -> None:
    plan = full()
    plan["batches"] = {"epoch": 1000, "planned": 1000}
    browser = show(plan)
    assert texts(browser, "#headline strong")[0] == "all 1,000 batches"
    assert texts(browser, ".notice") == []


def test_curve_has_each_point_at_its_place(show: Show) -> None:
    plan = full()
    browser = show(plan)
    grid = numbers(browser, "#curve .grid", "x1", "y1", "x2", "y2")
    left, right = min(line[0] for line in grid), max(line[2] for line in grid)
    top, bottom = min(line[1] for line in grid), max(line[1] for line in grid)
    for style, shape, field in (("belady", "circle", "missed"), ("hot", "rect", "hot_missed")):
        (line,) = browser.evaluate(
            f'[...document.querySelectorAll("#curve [role=img] polyline.{style}")]'
            ".map((l) => [...l.points].map((p) => [p.x, p.y]))"
        )
        expected = [
            (left + point["share"] * (right - left), bottom - point[field] * (bottom - top))
            for point in plan["curve"]
        ]
        assert line == [pytest.approx(place, abs=0.01) for place in expected]
        selector = f"#curve [role=img] {shape}.point.{style}"
        assert len(numbers(browser, selector)) == len(plan["curve"])
    marks = numbers(browser, "#curve circle.mark", "cx", "cy")
    assert sorted(marks) == [
        pytest.approx(
            [
                left + memory["row_bytes"] / 10_240_000_000 * (right - left),
                bottom - memory["missed_rows"] / memory["uses"] * (bottom - top),
            ],
            abs=0.01,
        )
        for memory in plan["memory"]
    ]
    assert len(numbers(browser, "#curve rect.mark")) == 2
    assert sorted(texts(browser, "#curve .flag")) == ["1.1 GiB", "2.6 GiB"]
    assert rows(browser, "Share of row uses that are read from disk, by memory for rows") == [
        ["0 B", "0 %", "100 %", "100 %"],
        ["488.3 MiB", "5 %", "81 %", "88 %"],
        ["4.8 GiB", "50 %", "42 %", "55 %"],
        ["9.5 GiB", "100 %", "36 %", "0 %"],
    ]


def test_a_budget_mark_explains_itself(show: Show) -> None:
    browser = show(full(), 390)
    expected = (
        "Budget 1.1 GiB, packs\n381.5 MiB for rows, 3.9 % of the planned columns\n"
        "Belady's rule: 82.8 % of row uses read from disk\nStatic hotness: 88.3 %"
    )
    tip = 'document.querySelector("#curve .tip")'

    def shown() -> Any:
        return browser.evaluate(f"{tip}.hidden ? null : {tip}.innerText").replace("\xa0", " ")

    browser.evaluate('document.querySelector("#curve .spot").focus()')
    assert shown() == expected
    label = browser.evaluate('document.querySelector("#curve .spot").ariaLabel')
    assert label.replace("\xa0", " ") == expected.replace("\n", ". ")
    left, right = browser.evaluate(
        f"(({{left, right}}) => [left, right])({tip}.getBoundingClientRect())"
    )
    assert 0 <= left < right <= 390
    browser.press("Escape")
    assert browser.evaluate(f"{tip}.hidden")
    x, y = browser.evaluate(
        """(() => {
      const spot = document.querySelector("#curve .spot");
      spot.scrollIntoView({ block: "center" });
      const box = spot.getBoundingClientRect();
      return [box.left + box.width / 2, box.top + box.height / 2];
    })()"""
    )
    browser.move_mouse(x, y)
    assert shown() == expected
    browser.move_mouse(1, 1)
    assert browser.evaluate(f"{tip}.hidden")


def test_bars_of_bytes_are_as_long_as_their_bytes(show: Show) -> None:
    plan = full()
    browser = show(plan)
    bars = numbers(browser, "#bytes .bar", "x", "width")
    styles = browser.evaluate(
        '[...document.querySelectorAll("#bytes .bar")].map((b) => b.classList[1])'
    )
    assert styles == ["files", "written", "reread", "memory"] * 2
    sizes = [
        size
        for memory in plan["memory"]
        for size in (
            memory["read_bytes"],
            memory["packed_bytes"],
            memory["packed_bytes"],
            memory["memory_bytes"],
        )
    ]
    scale = 1086 / sum(sizes[:4])  # the first budget fills the chart
    assert [width for _, width in bars] == [pytest.approx(size * scale, abs=4) for size in sizes]
    ends = [start + width for start, width in bars]
    assert [start for start, _ in bars[1:4]] == [pytest.approx(end, abs=3) for end in ends[:3]]
    labels = texts(browser, "#bytes .halo")
    assert labels == [
        *["1.1 GiB (10 %), packs", "disk 38.2 GiB"],
        *["2.6 GiB (25 %), packs", "disk 30.6 GiB"],
    ]
    assert rows(browser, "Bytes of the planned batches by memory budget") == [
        ["1.1 GiB", "packs", "3.0 GiB", "9.6 GiB"] + ["14.3 GiB"] * 2 + ["38.1 GiB"]
        # missed rows of Belady's rule and of static hotness
        + ["14.3 GiB", "15.3 GiB"],
        ["2.6 GiB", "packs", "6.8 GiB", "9.6 GiB"] + ["10.5 GiB"] * 2 + ["30.5 GiB"]
        # the same
        + ["10.5 GiB", "12.4 GiB"],
    ]


def test_bars_of_seconds_are_as_long_as_their_times(show: Show) -> None:
    plan = full()
    browser = show(plan)
    times = [
        memory[f"{part}_seconds"]
        for memory in plan["memory"]
        for part in ("disk", "processor", "epoch")
    ]
    widths = [width for (width,) in numbers(browser, "#seconds .bar", "width")]
    scale = widths[2] / 47.0
    assert scale * 47 > 900
    assert widths == [pytest.approx(time * scale, abs=0.01) for time in times]
    assert texts(browser, "#seconds text") == [
        *["1.1 GiB (10 %), packs", "disk 37.0 s", "processor 20.0 s", "whole 47.0 s"],
        *["2.6 GiB (25 %), packs", "disk 29.0 s", "processor 20.0 s", "whole 35.0 s"],
    ]
    assert rows(browser, "Predicted time of the planned batches by memory budget") == [
        ["1.1 GiB", "37.0 s", "20.0 s", "47.0 s", "21.3"],
        ["2.6 GiB", "29.0 s", "20.0 s", "35.0 s", "28.6"],
    ]


def test_tables(show: Show) -> None:
    browser = show(full())
    assert rows(browser, "Memory budgets") == [
        ["1.1 GiB", "10 %", "381.5 MiB", "packs", "3", "36,251,000", "30,000,000", "82.8 %"]
        + ["32,000,000", "14.9 GiB"],
        ["2.6 GiB", "25 %", "1.4 GiB", "packs", "3", "36,251,000", "22,000,000", "60.7 %"]
        + ["26,000,000", "14.9 GiB"],
    ]
    assert rows(browser, "Nodes of the planned batches, by type and hop") == [
        ["paper", "all", "36,251,000", "36,251", "30,411", "41,802"],
        ["0 (seeds)", "256,000", "256", "256", "256"],
        ["1", "1,100,000", "1,100", "900", "1,300"],
        ["2", "6,300,000", "6,300", "5,200", "7,100"],
        ["3", "28,595,000", "28,595", "24,055", "33,146"],
    ]
    assert rows(browser, "Edges of the planned batches, by type and hop") == [
        ["paper__cites__paper", "all", "45,000,000", "45,000", "37,000", "52,000"],
        ["1", "1,200,000", "1,200", "1,000", "1,500"],
        ["2", "7,800,000", "7,800", "7,000", "9,000"],
        ["3", "36,000,000", "36,000", "29,000", "41,500"],
    ]
    assert rows(browser, "Columns that the loader reads") == [
        ["paper", "nodes", "x", "float32", "planned", "512 B", "20,000,000", "9.5 GiB"]
        + ["36,251,000", "36,251,000", "13,000,000", "6.2 GiB"],
        ["paper", "nodes", "y", "int64", "mapped", "8 B", "20,000,000", "152.6 MiB"]
        + ["256,000", "256,000", "256,000", "2.0 MiB"],
    ]
    assert rows(browser, "Disk and machine") == [
        ["Topology, in memory", "991.8 MiB"],
        ["Folder of temporary files", "/data/tmp"],
        ["Most bytes of temporary files", "55.9 GiB"],
        ["Rate of reads in order", "2.2 GiB/s"],
        ["Rate of reads and writes together", "1.0 GiB/s"],
        ["Random reads of 4.0 KiB, 1 at a time", "9.00 k per second"],
        ["Random reads of 4.0 KiB, 32 at a time", "94.0 k per second"],
        ["Worker threads", "2"],
        ["Sampling of the planned batches", "5.00 s"],
        ["Rate of gathering rows in memory", "5.6 GiB/s"],
    ]


def test_each_chart_is_an_image_with_a_label_and_a_table(show: Show) -> None:
    browser = show(full())
    charts = browser.evaluate(
        """[...document.querySelectorAll("figure")].map((figure) => [
      figure.id,
      figure.querySelectorAll("[role=img]").length,
      figure.querySelector("[role=img]").ariaLabel,
      figure.nextElementSibling.querySelectorAll("summary + .scroll tbody tr").length,
    ])"""
    )
    assert [(name, images, count) for name, images, _, count in charts] == [
        *[("curve", 1, 4), ("bytes", 1, 2), ("seconds", 1, 2)]
    ]
    curve, sizes, times = (label.replace("\xa0", " ") for _, _, label, _ in charts)
    assert "with 1.1 GiB, 82.8 % by Belady's rule and 88.3 % by static hotness" in curve
    assert "14.3 GiB written to temporary files" in sizes
    assert "2.6 GiB (25 %), packs: disk 29.0 s, processor 20.0 s, whole 35.0 s" in times


def test_names_are_text_whatever_is_in_them(show: Show) -> None:
    plan = hostile()
    browser = show(plan)
    assert browser.evaluate("typeof globalThis.made") == "undefined"
    assert browser.evaluate('document.querySelectorAll("b, img, #made").length') == 0
    assert browser.evaluate("document.scripts.length") == 2
    assert browser.evaluate("plan") == plan
    nodes = rows(browser, "Nodes of the planned batches, by type and hop")
    assert [nodes[0][0], nodes[5][0]] == [BREAKOUT, LONG]
    (x, y) = rows(browser, "Columns that the loader reads")
    assert (x[0], y[2]) == (BREAKOUT, UNBROKEN)
    assert x[2] == " ".join(plan["columns"][0]["name"].split())
    assert plan["disk"]["temporary_folder"] in rows(browser, "Disk and machine")[1]


def test_empty_lists_become_sentences(show: Show) -> None:
    browser = show(empty())
    assert browser.evaluate('document.querySelectorAll("figure").length') == 0
    assert texts(browser, "h2 + p, h3 + p") == [
        "The loader plans no column, so no rows are chosen to stay in memory.",
        "The plan has no memory budget.",
        "The plan predicts no time.",
        "The plan has no memory budget.",
        "The batches have no nodes.",
        "The batches have no edges.",
        "The loader reads no column.",
        "The plan has no measurement of the disk.",
    ]
    assert rows(browser, "Disk and machine") == [["Topology, in memory", "991.8 MiB"]]


def test_mapped_columns_alone(show: Show) -> None:
    browser = show(mapped())
    assert texts(browser, "#headline strong")[0] == "the only batch"
    assert browser.evaluate('document.querySelectorAll("figure").length') == 0
    sentences = texts(browser, "h2 + p")
    assert "The planned batches use no bytes of planned columns." in sentences
    assert "The plan predicts no time." in sentences
    assert "The loader plans no column: it maps all of them." in sentences
    assert rows(browser, "Memory budgets")[0][-3:] == ["\u2013", "0", "0 B"]


def test_one_budget_and_one_point(show: Show) -> None:
    plan = full()
    del plan["memory"][1], plan["curve"][1:]
    browser = show(plan)
    assert len(numbers(browser, "#curve [role=img] circle.point")) == 1
    assert len(numbers(browser, "#curve circle.mark")) == 1
    assert len(numbers(browser, "#bytes .bar")) == 4
    assert len(numbers(browser, "#seconds .bar")) == 3


def test_many_types_budgets_and_points(show: Show) -> None:
    browser = show(many())
    assert browser.evaluate("document.querySelector('#curve polyline.hot').points.length") == 101
    assert len(numbers(browser, "#curve circle.mark")) == 8
    assert len(numbers(browser, "#bytes .bar")) == 32
    assert len(numbers(browser, "#seconds .bar")) == 24
    assert len(rows(browser, "Nodes of the planned batches, by type and hop")) == 60 * 5
    assert len(rows(browser, "Edges of the planned batches, by type and hop")) == 60 * 4
    assert len(rows(browser, "Columns that the loader reads")) == 60


@pytest.mark.parametrize("plan", PLANS)
def test_every_number_is_a_number(show: Show, plan: Callable[[], Any]) -> None:
    browser = show(plan())
    page = browser.evaluate("document.getElementById('main').outerHTML")
    for wrong in ("NaN", "undefined", "Infinity", "null"):
        assert wrong not in page


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("plan", PLANS)
def test_fits_the_window(show: Show, plan: Callable[[], Any], width: int) -> None:
    # The window also shrinks or grows while the page is open.
    browser = show(plan(), 1670 - width)
    for size in (1670 - width, width):
        browser.resize(size)
        browser.evaluate('document.querySelectorAll("details").forEach((d) => { d.open = true; })')
        assert browser.evaluate("innerWidth") == size
        assert browser.evaluate("document.documentElement.scrollWidth") == size
        wide = '[...document.querySelectorAll("main > *, .chart > svg")]'
        assert (
            browser.evaluate(f"{wide}.filter((e) => e.getBoundingClientRect().right > {size})")
            == []
        )


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("plan", [full, many])
def test_words_of_charts_stay_apart(show: Show, plan: Callable[[], Any], width: int) -> None:
    browser = show(plan(), width)
    for chart in ("curve", "bytes", "seconds"):
        left, top, right, bottom, *boxes = browser.evaluate(
            f"""(() => {{
          const box = (e) => (({{ left, top, right, bottom }}) => [left, top, right, bottom])(
            e.getBoundingClientRect());
          const svg = document.querySelector("#{chart} [role=img]");
          return [...box(svg), ...[...svg.querySelectorAll("text")].map(box)];
        }})()"""
        )
        assert len(boxes) > 6
        for at, one in enumerate(boxes):
            assert left - 1 <= one[0] and one[2] <= right + 1, (chart, one)
            assert top - 1 <= one[1] and one[3] <= bottom + 1, (chart, one)
            for two in boxes[:at]:
                apart = one[0] >= two[2] or two[0] >= one[2] or one[1] >= two[3] - 1
                assert apart or two[1] >= one[3] - 1, (chart, one, two)


CONTRAST = """(() => {
  const parts = (color) => color.match(/[\\d.]+/g).map(Number);
  const light = (color) => parts(color).slice(0, 3).map((part) => part / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
    .reduce((sum, part, at) => sum + part * [0.2126, 0.7152, 0.0722][at], 0);
  const behind = (element) => {
    const color = getComputedStyle(element).backgroundColor;
    return parts(color)[3] === 0 ? behind(element.parentElement) : color;
  };
  return [...document.querySelectorAll("main, main *")]
    .filter((e) => [...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim()))
    .map((e) => {
      const style = getComputedStyle(e);
      const [a, b] = [light(e.closest("svg") ? style.fill : style.color), light(behind(e))];
      return [(Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05), e.outerHTML];
    });
})()"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_has_contrast(show: Show, scheme: str) -> None:
    browser = show(full())
    browser.prefer(scheme)
    dark = (
        browser.evaluate("getComputedStyle(document.body).backgroundColor") != "rgb(255, 255, 255)"
    )
    assert dark == (scheme == "dark")
    found = browser.evaluate(CONTRAST)
    assert len(found) > 100
    assert [text for contrast, text in found if contrast < 4.5] == []


@pytest.mark.parametrize(
    "expression, expected",
    [
        ("count(2449029)", "2,449,029"),
        ("count(999)", "999"),
        ("bytes(1023)", "1023 B"),
        ("bytes(1024)", "1.0 KiB"),
        (f"bytes({3 * GIB})", "3.0 GiB"),
        (f"bytes({5000 * 1024 * GIB * 1024})", "5000.0 PiB"),
        ("scaled(61800000)", "61.8 M"),
        ("scaled(7)", "7"),
        ("scaled(7.25)", "7.25"),
        ("seconds(0.00034)", "340 us"),
        ("seconds(0.0125)", "12.50 ms"),
        ("seconds(0.25)", "250 ms"),
        ("seconds(2.1)", "2.10 s"),
        ("seconds(205)", "3:25"),
        ("seconds(3723)", "1:02:03"),
    ],
)
def test_numbers_read_as_on_the_terminal(show: Show, expression: str, expected: str) -> None:
    assert show(full()).evaluate(expression) == expected


def test_a_missing_browser_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    with pytest.raises(FileNotFoundError, match="packages.sh browser"):
        find_browser()
