"""When the reference client opens a stream again."""
import unittest
from unittest import mock

from reference.clock import Clock
from reference.connection import Connection


class Again(unittest.IsolatedAsyncioTestCase):
    async def test_an_attempt_waits_after_one_that_did_not_help_and_not_after_one_that_was_never_made(self):
        store = mock.Mock(clock=Clock(lambda *_: None), faults=())
        store.backoff.return_value = 1000
        connection = Connection(store)
        connection.open()
        for _ in range(2):
            connection.again()
        store.clock.advance(0)
        self.assertEqual(connection.stream, 2)
        connection.again()
        store.clock.advance(999)
        self.assertEqual(connection.stream, 0)
        store.clock.advance(1000)
        self.assertEqual(connection.stream, 3)
        connection.close()


if __name__ == "__main__":
    unittest.main()
