"""Prints the events of a stream as sseclient-py reads them: with_sseclient.py URL [LAST-EVENT-ID]"""

import sys

import requests
import sseclient

headers = {"Accept": "text/event-stream"}
if len(sys.argv) > 2:
    headers["Last-Event-ID"] = sys.argv[2]
with requests.get(sys.argv[1], headers=headers, stream=True, timeout=60) as response:
    response.raise_for_status()
    for event in sseclient.SSEClient(response).events():
        print(f"event: {event.event}\nid: {event.id}\ndata: {event.data}\n", flush=True)
