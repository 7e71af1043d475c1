"""Prints the events of a stream as aiohttp-sse-client2 reads them: with_aiohttp.py URL [LAST-EVENT-ID]"""

import asyncio
import sys

from aiohttp_sse_client2 import client


async def main():
    headers = {"Last-Event-ID": sys.argv[2]} if len(sys.argv) > 2 else {}
    async with client.EventSource(sys.argv[1], headers=headers, max_connect_retry=0) as events:
        async for event in events:
            print(f"event: {event.type}\nid: {event.last_event_id}\ndata: {event.data}\n", flush=True)


try:
    asyncio.run(main())
except ConnectionError:
    pass  # the stream has ended, and this client does not try again
