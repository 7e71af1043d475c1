"""Shared code of the storage tests: script/kill-test, script/disk-test and script/restore-drill."""
