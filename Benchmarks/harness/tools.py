"""The dependencies of the benchmark: Debian packages, and programs built from this folder."""

import os
import shutil
import sys
from pathlib import Path

from harness.processes import Failure, output_of

FOLDER = Path(__file__).resolve().parent.parent
ROOT = FOLDER.parent
WORK = ROOT / ".build" / "benchmarks"

NCHAN = Path("/usr/lib/nginx/modules/ngx_nchan_module.so")
NGINX = Path("/usr/sbin/nginx")
HAPROXY = Path("/usr/sbin/haproxy")
NODE_MODULES = Path("/usr/share/nodejs")
STOREHOUSE = ROOT / ".build" / "release" / "storehouse"
# As in a release: with the Swift libraries linked statically.
RELEASE_BUILD = ["swift", "build", "-c", "release", "--static-swift-stdlib"]


def say(text):
    print(text, file=sys.stderr, flush=True)


def packages():
    """The Debian packages by purpose, with whether each is installed."""
    return {
        "servers": {
            "wrk": shutil.which("wrk"),
            "strace": shutil.which("strace"),
            "golang-go": shutil.which("go"),
            "gcc": shutil.which("cc") and Path("/usr/include/stdio.h").exists(),
            "nginx-light": NGINX.exists(),
            "libnginx-mod-nchan": NCHAN.exists(),
        },
        "proxy": {"haproxy": HAPROXY.exists()},
        "redis": {"redis-server": shutil.which("redis-server")},
        "libraries": {
            "nodejs": shutil.which("node"),
            "node-redux": (NODE_MODULES / "redux").exists(),
            "node-babel7-runtime": (NODE_MODULES / "@babel" / "runtime").exists(),
        },
        "client": {"nodejs": shutil.which("node"), "chromium": shutil.which("chromium")},
    }


def install_missing(*purposes):
    """Installs missing packages with apt-get. Needs no privileges if nothing is missing."""
    present = packages()
    missing = [package for purpose in purposes for package, there in present[purpose].items() if not there]
    if "gcc" in missing:
        missing.append("libc6-dev")
    if not missing:
        return
    say(f"installing {', '.join(missing)}")
    rights = [] if os.geteuid() == 0 else ["sudo", "-n"]
    # RUNLEVEL=1 keeps the package from starting nginx on port 80.
    quiet = [*rights, "env", "DEBIAN_FRONTEND=noninteractive", "RUNLEVEL=1", "apt-get", "-qq"]
    output_of([*quiet, "update"], 300)
    output_of([*quiet, "install", "--no-install-recommends", *missing], 600)


def build_load():
    """The load programs, and the counter of allocations, in C."""
    load = FOLDER / "load"
    compiler = ["cc", "-std=gnu17", "-O2", "-Wall", "-Wextra"]
    output_of([*compiler, "-o", WORK / "fanout", load / "fanout.c", load / "stream.c", load / "common.c"], 120)
    output_of([*compiler, "-pthread", "-o", WORK / "rush", load / "rush.c", load / "stream.c", load / "common.c"], 120)
    output_of([*compiler, "-o", WORK / "crowd", load / "crowd.c", load / "common.c"], 120)
    output_of([*compiler, "-o", WORK / "multiplexed", load / "multiplexed.c", load / "common.c"], 120)
    output_of([*compiler, "-o", WORK / "sessions", load / "sessions.c", load / "common.c"], 120)
    output_of([*compiler, "-o", WORK / "paced", load / "paced.c", load / "common.c"], 120)
    output_of([*compiler, "-o", WORK / "syncs", load / "syncs.c", load / "common.c"], 120)
    output_of([*compiler, "-pthread", "-o", WORK / "floor", load / "floor.c", load / "common.c"], 120)
    output_of([*compiler, "-o", WORK / "slow", load / "slow.c", load / "common.c"], 120)
    output_of([*compiler, "-o", WORK / "calls", load / "calls.c", load / "common.c", "-lcurl"], 120)
    output_of([*compiler, "-shared", "-fPIC", "-I", FOLDER / "allocations" / "include", "-o", WORK / "heap.so",
               load / "heap.c"], 120)


def build_go():
    """The Go peer."""
    program = WORK / "go-peer"
    settings = {"GOCACHE": str(WORK / "go-cache"), "GOPROXY": "off", "GOFLAGS": "-buildvcs=false"}
    output_of(["go", "build", "-o", program, "."], 300, cwd=FOLDER / "peers" / "go", env={**os.environ, **settings})
    return program


def build(product):
    """A program of this package."""
    say(f"building {product} ({' '.join(RELEASE_BUILD)})")
    output_of([*RELEASE_BUILD, "--product", product], 1800, cwd=ROOT)


def build_revision(revision, products):
    """Release programs of an earlier revision, in a work tree of its own that the next run uses again."""
    commit = output_of(["git", "rev-parse", "--verify", f"{revision}^{{commit}}"], 10, cwd=ROOT).strip()
    tree = WORK / "revisions" / commit
    if not tree.exists():
        output_of(["git", "worktree", "prune"], 60, cwd=ROOT)
        output_of(["git", "worktree", "add", "--detach", tree, commit], 60, cwd=ROOT)
    for product in products:
        say(f"building {product} of {commit[:12]} ({' '.join(RELEASE_BUILD)})")
        output_of([*RELEASE_BUILD, "--product", product], 3600, cwd=tree)
    return tree / ".build" / "release"


def build_stores():
    """The program that measures this package's stores. It is built each time, which is fast without changes."""
    build("storesbench")
    return ROOT / ".build" / "release" / "storesbench"


def build_swift_client():
    """The program that measures the Swift client."""
    build("clientbench")
    return ROOT / ".build" / "release" / "clientbench"


def build_tallies():
    """The server of one store that is declared in three ways."""
    build("tallies")
    return ROOT / ".build" / "release" / "tallies"


def find_storehouse(path):
    """The server to measure: the given one, or the release build, which is built if it is missing."""
    if path:
        given = Path(path).resolve()
        if not os.access(given, os.X_OK):
            raise Failure(f"no program at {given}")
        return given
    if not STOREHOUSE.exists():
        build("storehouse")
    if not STOREHOUSE.exists():
        raise Failure(f"no server at {STOREHOUSE}")
    return STOREHOUSE
