"""Plans that tests show: documents as `gls plan --json` prints them."""

from typing import Any, Dict, List

Plan = Dict[str, Any]


def hop(total: int, least: int, most: int) -> Plan:
    return {"total": total, "least": least, "most": most}


def budget(size: int, share: float, rows: int, missed: int, **others: Any) -> Plan:
    """A budget whose rows have 512 bytes, of 36,251,000 uses."""
    uses = 36_251_000
    made = {
        "bytes": size,
        "share": share,
        "row_bytes": rows,
        "windows": 3,
        "way": "packs",
        "uses": uses,
        "missed_rows": missed,
        "missed_bytes": missed * 512,
        "memory_bytes": (uses - missed) * 512,
        "read_bytes": 10_300_000_000,
        "packed_bytes": missed * 512,
        "temporary_bytes": 16_000_000_000,
        "lower_bound_bytes": 10_240_000_000 + 2 * missed * 512,
        "hot_missed_rows": 32_000_000,
        "hot_missed_bytes": 32_000_000 * 512,
        "disk_seconds": 37.0,
        "processor_seconds": 20.0,
        "epoch_seconds": 47.0,
    }
    made.update(others)
    return made


def full() -> Plan:
    """1,000 of 78,125 batches of a graph with one type, for two budgets."""
    return {
        "format": 1,
        "library": "0.1.0",
        "epoch": 0,
        "batch_size": 256,
        "batches": {"epoch": 78125, "planned": 1000},
        "seeds": 256_000,
        "nodes": [
            {
                "type": "paper",
                **hop(36_251_000, 30_411, 41_802),
                "hops": [
                    hop(256_000, 256, 256),
                    hop(1_100_000, 900, 1300),
                    hop(6_300_000, 5200, 7100),
                    hop(28_595_000, 24_055, 33_146),
                ],
            }
        ],
        "edges": [
            {
                "type": "paper__cites__paper",
                **hop(45_000_000, 37_000, 52_000),
                "hops": [
                    hop(1_200_000, 1000, 1500),
                    hop(7_800_000, 7000, 9000),
                    hop(36_000_000, 29_000, 41_500),
                ],
            }
        ],
        "topology_bytes": 1_040_000_000,
        "columns": [
            column("paper", "x", "float32", 512, rows=36_251_000, distinct=13_000_000),
            column("paper", "y", "int64", 8, rows=256_000, distinct=256_000, planned=False),
        ],
        "disk": {
            "temporary_folder": "/data/tmp",
            "temporary_bytes": 60_000_000_000,
            "read_bytes_per_second": 2.4e9,
            "mixed_bytes_per_second": 1.1e9,
            "random_reads": [
                {"bytes": 4096, "in_flight": 1, "per_second": 9000},
                {"bytes": 4096, "in_flight": 32, "per_second": 94000},
            ],
        },
        "processor": {"threads": 2, "sample_seconds": 5.0, "gather_bytes_per_second": 6.0e9},
        "memory": [
            budget(1_130_000_000, 0.1, 400_000_000, 30_000_000),
            budget(
                2_825_000_000,
                0.25,
                1_500_000_000,
                22_000_000,
                hot_missed_rows=26_000_000,
                hot_missed_bytes=26_000_000 * 512,
                disk_seconds=29.0,
                epoch_seconds=35.0,
            ),
        ],
        "curve": [
            point(0.0, 1.0, 1.0),
            point(0.05, 0.81, 0.88),
            point(0.5, 0.42, 0.55),
            point(1.0, 0.36, 0.0),
        ],
    }


def column(
    of_type: str, name: str, dtype: str, size: int, rows: int, distinct: int, planned: bool = True
) -> Plan:
    return {
        "of": "nodes",
        "type": of_type,
        "name": name,
        "dtype": dtype,
        "row_bytes": size,
        "num_rows": 20_000_000,
        "file_bytes": 20_000_000 * size,
        "planned": planned,
        "rows": rows,
        "uses": rows,
        "distinct_rows": distinct,
    }


def point(share: float, missed: float, hot_missed: float) -> Plan:
    rows = int(share * 10_240_000_000)
    return {"share": share, "row_bytes": rows, "missed": missed, "hot_missed": hot_missed}


BREAKOUT = "</script><b id=made>bold</b><!--<script>globalThis.made = 1"
LONG = "\u8bba\u6587" * 60
UNBROKEN = "very_long_name_of_a_type_" * 12


def hostile() -> Plan:
    """Names that end scripts, open comments, contain controls, or are very long."""
    plan = full()
    plan["nodes"][0]["type"] = BREAKOUT
    plan["nodes"].append({**full()["nodes"][0], "type": LONG})
    plan["edges"][0]["type"] = f"{UNBROKEN}__\u0645\u0631\u062d\u0628\u0627__{LONG}"
    plan["columns"][0]["type"] = BREAKOUT
    plan["columns"][0]["name"] = "$& $' {{PLAN}} \u2028 \x00 \x1b[31m \"'`\\"
    plan["columns"][1]["name"] = UNBROKEN
    plan["disk"]["temporary_folder"] = f"/{UNBROKEN}/<img src=x onerror=globalThis.made=1>"
    return plan


def empty() -> Plan:
    """A loader that plans no column, without budgets and measurements."""
    plan = full()
    plan.update(nodes=[], edges=[], columns=[], memory=[], curve=[], disk=None, processor=None)
    return plan


def mapped() -> Plan:
    """One budget, columns that are all mapped, an epoch that is planned whole, no times."""
    plan = full()
    plan["batches"] = {"epoch": 1, "planned": 1}
    plan["columns"][0]["planned"] = False
    plan["curve"] = []
    zeros = {name: 0 for name in plan["memory"][0] if name.endswith(("_rows", "_bytes"))}
    times = {name: None for name in plan["memory"][0] if name.endswith("_seconds")}
    plan["memory"] = [{**plan["memory"][0], **zeros, **times, "uses": 0, "way": "direct"}]
    plan["disk"]["random_reads"] = []
    return plan


def many() -> Plan:
    """60 types, eight budgets that lie close together or at the end, and 101 points."""
    plan = full()
    nodes, edges = plan["nodes"][0], plan["edges"][0]
    plan["nodes"] = [{**nodes, "type": f"type{i}"} for i in range(60)]
    plan["edges"] = [{**edges, "type": f"type{i}__to__type{i + 1}"} for i in range(60)]
    plan["columns"] = [{**plan["columns"][0], "type": f"type{i}"} for i in range(60)]
    shares: List[float] = [0.01, 0.02, 0.02, 0.05, 0.3, 0.95, 0.99, 1.0]
    plan["memory"] = [
        budget(
            int(1e9 + share * 1e10),
            share,
            int(share * 10_240_000_000),
            int((1 - 0.6 * share) * 36_251_000),
        )
        for share in shares
    ]
    plan["curve"] = [point(i / 100, 1 - 0.6 * i / 100, 1 - i / 100) for i in range(101)]
    return plan
