"""Rounds become medians with their spread, in one Markdown table."""

from statistics import median


def spread(values, digits):
    """`median (min–max)`, or the number alone if there is only one."""
    middle = f"{median(values):,.{digits}f}"
    if len(values) == 1:
        return middle
    return f"{middle} ({min(values):,.{digits}f}–{max(values):,.{digits}f})"


def table(cases, results, contenders):
    """`results[title][contender]` is a list of rounds, each a dictionary of numbers; a column for each contender."""
    contenders = [name for name in contenders if any(name in case.contenders for case in cases)]
    lines = [
        f"| measure | {' | '.join(contenders)} |",
        f"|---|{'---|' * len(contenders)}",
    ]
    for case in cases:
        lines.append(f"| **{case.title}** |{' |' * len(contenders)}")
        for key, label, digits in case.rows:
            cells = [_cell(case, results[case.title].get(name), name, key, digits) for name in contenders]
            lines.append(f"| {label} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _cell(case, rounds, name, key, digits):
    if name not in case.contenders or (name == "nginx" and "Session" in key):
        return "–"
    if not rounds:
        return "failed"
    return spread([each[key] for each in rounds], digits) if key in rounds[0] else "–"


def ratios(cases, results, before, after):
    """Each number of `after` divided by that of `before` in the same round: its median with the spread."""
    lines = [f"| {after} ÷ {before} | median (min–max) |", "|---|---|"]
    for case in cases:
        pairs = list(zip(results[case.title].get(before, []), results[case.title].get(after, [])))
        for key, label, _ in case.rows:
            values = [new[key] / old[key] for old, new in pairs if old.get(key) and key in new]
            if values:
                lines.append(f"| {case.title}: {label} | {spread(values, 3)} |")
    return "\n".join(lines)


def notes(cases, results, machine_line, rounds):
    """The conditions of the run, which decide whether the table is reliable."""
    measured = [each for case in cases for runs in results[case.title].values() for each in runs]
    others = [each["othersPercent"] for each in measured if "othersPercent" in each]
    lines = [f"{machine_line}. {rounds} interleaved rounds, median (min–max)."]
    if others:
        lines.append(
            f"Other processes took {median(others):.1f}% of the machine meanwhile (median), {max(others):.1f}% at worst"
            + (": repeat this on a quiet machine." if max(others) > 10 else "."))
    coalesced = {
        name: sum(each.get("coalesced", 0) for case in cases for each in results[case.title].get(name, []))
        for name in ("storehouse", "go", "nginx")
    }
    if any(coalesced.values()):
        told = ", ".join(f"{name} {count}" for name, count in coalesced.items() if count)
        lines.append(f"Deliveries saved because an event told of several commits at once, all rounds together: {told}.")
    for case in cases:
        for name, runs in results[case.title].items():
            for key, what in (("calls", "a request"), ("pipelinedCalls", "16 in one segment")):
                if key in runs[-1]:
                    told = ", ".join(f"{call} {count:.2f}" for call, count in runs[-1][key].items()
                                     if count >= 0.01)
                    lines.append(f"{case.title}, {name}, {what}: {told}.")
    return "\n".join(lines)
