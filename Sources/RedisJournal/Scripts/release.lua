#!lua flags=allow-oom
-- The session is free, and the next claim has a higher epoch. Arguments: claim
local claim = ARGV[1]
local holder, free = fields('claim'), '0 ' .. string.match(claim, '%d+$')
if holder == free then return 1 end
if holder ~= claim then return {'FENCED'} end
call('HSET', session, 'claim', free)
return 1
