"""Whether the kit has the scenarios that the contract names, and whether each says what it needs."""
import unittest

from kit import catalogue
from kit.scenario import Run

CAPABILITIES = {"reducer", "disk", "visibility", "tabs"}


def steps_of(steps):
    """All steps, also those within others."""
    for step in steps:
        yield step
        yield from steps_of([part for part in step[1:] if isinstance(part, list) and part and step[0] in ("repeat", "tab", "as")])


class Catalogue(unittest.TestCase):
    def test_each_scenario_of_the_contract_is_there(self):
        found = catalogue.scenarios()
        promised = catalogue.contract()
        self.assertEqual(sum(len(names) for names in promised.values()), 90)
        for group, names in promised.items():
            for name in names:
                self.assertIn(name, found)
                self.assertEqual(found[name]["group"], group, name)

    def test_each_step_is_known(self):
        for name, scenario in catalogue.scenarios().items():
            for verb, *_ in steps_of(scenario["steps"]):
                self.assertTrue(hasattr(Run, "_do_" + verb), f"{name}: {verb}")

    def test_each_capability_is_known(self):
        for name, scenario in catalogue.scenarios().items():
            self.assertLessEqual(set(scenario.get("needs", [])), CAPABILITIES, name)

    def test_steps_of_tabs_and_disks_need_them(self):
        for name, scenario in catalogue.scenarios().items():
            verbs = {verb for verb, *_ in steps_of(scenario["steps"])}
            needs = set(scenario.get("needs", []))
            if verbs & {"tab", "shut"}:
                self.assertIn("tabs", needs, name)
            if verbs & {"kill", "tear"}:
                self.assertIn("disk", needs, name)


if __name__ == "__main__":
    unittest.main()
