#!lua
-- Arguments: hash, key of the shared initial state or '', key of `:me:` or '', claim, and the other fields with their
-- names
local hash, initial, me, claim = unpack(ARGV)
if fields('claim') == claim then return done() end
local refused = refusal(hash, initial, me)
if refused then return refused end
local answer = done()
call('HSET', session, 'claim', claim, unpack(ARGV, 5))
return answer
