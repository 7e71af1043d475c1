#!lua flags=allow-oom
-- Removes a session from one index after its end, or if it was never created. Arguments: `me`, `due`, `ids` or `used`; hash; time since
-- when sessions were used that may still be created, or '' if the session has ended. With `ids` it leaves the lists of its subjects too
local index, hash, oldest = unpack(ARGV)
local isNew = oldest ~= '' and tonumber(call('ZSCORE', tag .. ':used', hash) or 0) >= tonumber(oldest)
if isNew or fields('id') then return done() end
if index == 'ids' then
    local subjects = tag .. ':has:' .. hash
    for _, subject in ipairs(call('SMEMBERS', subjects)) do
        call('ZREM', tag .. ':of:' .. redis.sha1hex(subject), hash)
    end
    call('DEL', subjects)
end
if index ~= 'me' then
    call('ZREM', tag .. ':' .. index, hash)
elseif call('EXISTS', session) == 1 then
    local me = cmsgpack.unpack(call('GET', session))[2]
    if me ~= '' and call('GET', me) == hash then call('DEL', me) end
end
return done()
