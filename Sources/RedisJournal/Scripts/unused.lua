#!lua flags=no-writes
-- Finds the sessions without commits, each with its id unless another node owns it, its header and its last use; the
-- last use of the last session that it has looked at if there may be more; the hashes of sessions that do not exist.
-- Arguments: start, time, limit, incarnation
local rows, gone, now = {}, {}, moment()
local found = call('ZRANGEBYSCORE', tag .. ':used', ARGV[1], '(' .. ARGV[2], 'WITHSCORES', 'LIMIT', 0, ARGV[3])
for index = 1, #found, 2 do
    local key = keyOf(found[index])
    local revision, id, header = fieldsOf(key, 'revision', 'id', 'header')
    if not id then
        gone[#gone + 1] = found[index]
    elseif revision == '0' then
        rows[#rows + 1] = {not otherOwner(key, ARGV[4], now) and id, header, found[index + 1]}
    end
end
return {'OK', rows, #found == 2 * ARGV[3] and found[#found] or '', gone}
