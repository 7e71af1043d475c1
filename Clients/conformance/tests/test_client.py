"""Whether a client gives its process away as if it had just begun."""
import pathlib
import sys
import unittest

from kit.client import Client, new_view
from kit.trace import Trace

PROGRAM = pathlib.Path(__file__).resolve().parent.parent / "reference_client.py"


class Spares(unittest.IsolatedAsyncioTestCase):
    async def test_a_process_begins_anew(self):
        spares, trace = [], Trace()
        first, second = (Client([sys.executable, str(PROGRAM)], trace, name) for name in ("first", "second"))
        await first.start()
        self.addAsyncCleanup(second.close)
        pid = first.process.pid
        await first.do("connect", url="http://127.0.0.1:1/sessions/s")
        await first.do("send", entry="a", action={"type": "counter/increment"})
        await first.advance(700)
        self.assertEqual(first.view["value"]["pending"], ["a"])

        await first.give_away(spares)
        await second.start(spares)
        self.assertEqual((second.process.pid, spares, first.process), (pid, [], None))
        count = len(trace.items)
        await second.rest()
        self.assertEqual((second.view, second.timer, trace.items[count:]), (new_view(), None, []))
        await second.do("connect", url="http://127.0.0.1:1/sessions/s")
        self.assertEqual(second.view["value"].get("pending", []), [])


if __name__ == "__main__":
    unittest.main()
