-- For the creation of a session. What was to be done before may have been refused, because the memory was full then
local function refusal(hash, initial, me)
    if call('EXISTS', session) == 1 then return {'EXISTS'} end
    local isListed = call('ZSCORE', tag .. ':ids', hash) and call('ZSCORE', tag .. ':used', hash)
    if not isListed or initial ~= '' and call('EXISTS', initial) == 0 then
        return redis.error_reply('OOM not all of it was stored')
    end
    if me ~= '' and call('GET', me) ~= hash then return {'PERSONAL'} end
end
