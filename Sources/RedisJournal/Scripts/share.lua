#!lua flags=allow-oom
-- Takes permits off the list. Further arguments: the new generation or '' for the old one, their ids
local rest, generation = without(fields('permits') or '', {unpack(ARGV, 5)}), ARGV[4]
if generation == '' then generation = fields('shares') end
call('HSET', session, 'sequence', sequence, 'shares', generation, 'permits', rest)
return 1
