"""The scenarios, and the clients that skip some of them."""
import ast
import pathlib

HERE = pathlib.Path(__file__).resolve().parent.parent


def scenarios():
    """All scenarios by name, in the order of the files."""
    found = {}
    for path in sorted((HERE / "scenarios").glob("*.txt")):
        for scenario in ast.literal_eval(path.read_text()):
            assert scenario["name"] not in found, scenario["name"]
            found[scenario["name"]] = scenario | {"group": path.stem}
    return found


def skips(name):
    """The scenarios that a client skips although it has their capabilities."""
    path = HERE / "skips" / f"{name}.txt"
    return {line.split("#")[0].strip() for line in path.read_text().splitlines()} - {""} if path.exists() else set()


def contract():
    """The names that the contract of the clients has for each group."""
    groups = {}
    for line in (HERE / "scenarios" / "contract.list").read_text().splitlines():
        if line and not line.startswith("#"):
            group, _, names = line.partition(": ")
            groups[group] = names.split(" ")
    return groups
