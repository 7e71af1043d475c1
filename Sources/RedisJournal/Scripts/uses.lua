#!lua flags=no-writes
-- Finds sessions in the order of the index of last uses, the latest first: each with its id, its header, the time in the
-- index, its last use and its name. Arguments: time and name behind which they begin, '' for all of the time, limit
local start, last, limit = ARGV[1], ARGV[2], tonumber(ARGV[3])
local rows, offset = {}, 0
while #rows < limit do
    local found = call('ZREVRANGEBYSCORE', tag .. ':used', start, '-inf', 'WITHSCORES', 'LIMIT', offset, limit)
    if #found == 0 then break end
    for index = 1, #found, 2 do
        local hash, indexed = found[index], found[index + 1]
        if (last == '' or indexed ~= start or hash < last) and #rows < limit then
            local id, header, used = fieldsOf(keyOf(hash), 'id', 'header', 'used')
            if id then rows[#rows + 1] = {id, header, indexed, used or '0', hash} end
        end
    end
    offset = offset + #found / 2
end
return {'OK', rows}
