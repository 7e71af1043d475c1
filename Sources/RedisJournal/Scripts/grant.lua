#!lua
-- Adds a permit. Further arguments: its id, its record, the ids of expired ones, which are taken off the list
local id, record = ARGV[4], ARGV[5]
local rest = without(fields('permits') or '', {unpack(ARGV, 6)})
call('HSET', session, 'sequence', sequence, 'permits', rest .. id .. ' ', 'x' .. id, record)
return 1
