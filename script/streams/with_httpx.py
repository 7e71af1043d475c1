"""Prints the events of a stream as httpx-sse reads them: with_httpx.py URL [LAST-EVENT-ID]"""

import sys

import httpx
import httpx_sse

headers = {"Last-Event-ID": sys.argv[2]} if len(sys.argv) > 2 else {}
with httpx.Client(timeout=30) as client:
    with httpx_sse.connect_sse(client, "GET", sys.argv[1], headers=headers) as source:
        source.response.raise_for_status()
        for event in source.iter_sse():
            if not event.data:
                continue  # against the standard it tells of blocks without data too, such as a lone `retry:`
            print(f"event: {event.event}\nid: {event.id}\ndata: {event.data}\n", flush=True)
