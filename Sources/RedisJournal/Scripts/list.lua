#!lua flags=no-writes
-- Arguments: name after which the list begins or '', limit, subjects whose sessions are listed, none for all sessions
local start = ARGV[1] == '' and '-' or '(' .. ARGV[1]
local rows, initial, states, now, limit = {}, {}, {}, moment(), tonumber(ARGV[2])
-- The next names of all sessions, or of those of some subjects, which may have one twice
local lists = {}
for index = 3, #ARGV do lists[index - 2] = tag .. ':of:' .. redis.sha1hex(ARGV[index]) end
if #lists == 0 then lists[1] = tag .. ':ids' end
local function nextHashes()
    local hashes, isKnown = {}, {}
    for _, list in ipairs(lists) do
        for _, hash in ipairs(call('ZRANGEBYLEX', list, start, '+', 'LIMIT', 0, limit)) do
            if not isKnown[hash] then hashes[#hashes + 1] = hash end
            isKnown[hash] = true
        end
    end
    if #lists == 1 then return hashes end
    table.sort(hashes)
    return {unpack(hashes, 1, math.min(#hashes, limit))}
end
repeat
    local hashes = nextHashes()
    for _, hash in ipairs(hashes) do
        start = '(' .. hash
        local key = keyOf(hash)
        local row = {fieldsOf(key, 'id', 'header', 'revision', 'shares', 'losses', 'initial', 'used')}
        if row[1] and #rows < limit then
            local indexed = call('ZSCORE', tag .. ':used', hash) or '0'
            if tonumber(indexed) >= (tonumber(row[7] or 0) or 0) then row[7] = indexed end
            row[8] = otherOwner(key, '', now) or ''
            row[9] = call('ZSCORE', tag .. ':due', hash) or '0'
            row[10] = hash
            rows[#rows + 1] = row
            if row[6] then
                initial[row[6]] = true
            else
                row[6], states[#states + 1], states[#states + 2] = key, key, call('HGET', key, 'state')
            end
        end
    end
until #hashes < limit or #rows == limit
for key in pairs(initial) do
    states[#states + 1] = key
    states[#states + 1] = call('GET', key)
end
return {'OK', rows, states}
