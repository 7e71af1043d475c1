#!lua flags=allow-oom
-- Further arguments: generation
call('HSET', session, 'sequence', sequence, 'shares', ARGV[4])
return 1
