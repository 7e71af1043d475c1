-- For all scripts. `done` tells how many sessions there are, for the answer of a change of that number.
local call, tag, session = redis.call, KEYS[1], KEYS[2]
local function done() return {'OK', call('ZCARD', tag .. ':ids')} end
-- Fields of a session; none if it does not exist, or has ended, for then it is no hash
local function fieldsOf(key, ...)
    local found = redis.pcall('HMGET', key, ...)
    if not found.err then return unpack(found) end
    if not string.find(found.err, 'WRONGTYPE', 1, true) then error(found) end
end
local function fields(...) return fieldsOf(session, ...) end
local function keyOf(hash) return tag .. ':s:' .. hash end
