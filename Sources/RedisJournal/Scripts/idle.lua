#!lua flags=no-writes
-- Finds idle sessions, the hashes of those that do not exist, and the hashes of those that a timer uses. One whose
-- timers are not known has the deadline 0. Arguments: time, limit, incarnation
local ids, gone, busy, now = {}, {}, {}, moment()
for _, hash in ipairs(call('ZRANGEBYSCORE', tag .. ':used', '-inf', '(' .. ARGV[1], 'LIMIT', 0, ARGV[2])) do
    local key = keyOf(hash)
    local id, used = fieldsOf(key, 'id', 'used')
    if not id then
        gone[#gone + 1] = hash
    elseif tonumber(call('ZSCORE', tag .. ':due', hash) or 0) > 0 then
        busy[#busy + 1] = hash
    elseif tonumber(used or 0) < tonumber(ARGV[1]) and not otherOwner(key, ARGV[3], now) then
        ids[#ids + 1] = id
    end
end
return {'OK', ids, gone, busy}
