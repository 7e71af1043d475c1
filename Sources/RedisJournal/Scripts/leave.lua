#!lua flags=allow-oom
-- All sessions of the node are free. Arguments: incarnation
call('HDEL', tag .. ':nodes', ARGV[1])
return {'OK'}
