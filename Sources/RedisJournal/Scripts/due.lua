#!lua flags=no-writes
-- Finds no sessions of other nodes, but those that this one owns, because it may have dropped them. Arguments:
-- deadline and name after which the list begins, time, limit, incarnation
local deadline, last, untilTime, limit, incarnation = unpack(ARGV)
local rows, offset, now = {}, 0, moment()
limit = tonumber(limit)
while #rows < limit do
    local found = call('ZRANGEBYSCORE', tag .. ':due', deadline, untilTime, 'WITHSCORES', 'LIMIT', offset, limit)
    if #found == 0 then break end
    for index = 1, #found, 2 do
        local isAfter = found[index + 1] ~= deadline or found[index] > last
        local key = keyOf(found[index])
        local id = fieldsOf(key, 'id')
        if id and isAfter and #rows < limit and not otherOwner(key, incarnation, now) then
            rows[#rows + 1] = {id, found[index + 1]}
        end
    end
    offset = offset + #found / 2
end
return {'OK', rows}
