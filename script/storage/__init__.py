"""What the scripts share that try the storage: script/kill-test, script/disk-test, script/restore-drill."""
