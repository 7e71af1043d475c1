#!lua flags=allow-oom
-- Counts the writes that were sent before, so that it is found if Redis loses the newest of them.
return call('HINCRBY', tag .. ':meta', 'commits', 1)
