"""Shared code of script/kill-test and script/cluster-test: histories that the conformance kit of the clients checks."""
