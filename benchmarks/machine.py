"""What the figures were measured on."""

import os
import platform
import subprocess
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from threadpoolctl import threadpool_info

from benchmarks.ours import CORES, core_name

_TELLING = ("fma", "avx2", "avx512f", "avx512dq", "avx512vl", "asimd", "sve")


def description() -> dict[str, str]:
    """The machine, its load, and every version that a figure depends on."""
    cpu = _cpuinfo()
    flags = set(cpu.get("flags", cpu.get("Features", "")).split())
    return {
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "commit": _commit(),
        "processor": cpu.get("model name", platform.processor() or platform.machine()),
        "flags": " ".join(flag for flag in _TELLING if flag in flags),
        "cores": str(CORES),
        "load at the start": f"{os.getloadavg()[0]:.1f}",
        "memory": f"{os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 2**30:.0f} GiB",
        "system": platform.platform(),
        "python": platform.python_version(),
        "otap": f"{version('otap-eval')}, {core_name()}",
        **{name: version(name) for name in ("numpy", "scipy", "POT")},
        "BLAS": ", ".join(sorted({_blas(pool) for pool in threadpool_info()})),
    }


def _cpuinfo() -> dict[str, str]:
    """The first processor's entry, where the system has such a list."""
    path = Path("/proc/cpuinfo")
    lines = path.read_text().split("\n\n")[0].splitlines() if path.exists() else []
    return {key.strip(): value.strip() for key, _, value in (line.partition(":") for line in lines)}


def _commit() -> str:
    command = ["git", "describe", "--always", "--dirty", "--abbrev=12"]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    return found.stdout.strip() or "not known"


def _blas(pool: dict[str, object]) -> str:
    return " ".join(
        str(pool[key]) for key in ("internal_api", "version", "architecture") if pool.get(key)
    )
