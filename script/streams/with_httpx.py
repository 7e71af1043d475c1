"""Prints the events of a stream as httpx-sse reads them: with_httpx.py URL [LAST-EVENT-ID]

httpx-sse reports a block without data as an event with empty data, and that is no JSON: the program would end.
"""

import json
import sys

import httpx
import httpx_sse

headers = {"Last-Event-ID": sys.argv[2]} if len(sys.argv) > 2 else {}
with httpx.Client(timeout=60) as client:
    with httpx_sse.connect_sse(client, "GET", sys.argv[1], headers=headers) as source:
        source.response.raise_for_status()
        for event in source.iter_sse():
            data = json.dumps(json.loads(event.data), separators=(",", ":"), ensure_ascii=False)
            print(f"event: {event.event}\nid: {event.id}\ndata: {data}\n", flush=True)
