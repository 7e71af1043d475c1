#!lua flags=no-writes
-- Arguments: name after which the list begins or '', limit
local start = ARGV[1] == '' and '-' or '(' .. ARGV[1]
local rows, initial, states, now, limit = {}, {}, {}, moment(), tonumber(ARGV[2])
repeat
    local hashes = call('ZRANGEBYLEX', tag .. ':ids', start, '+', 'LIMIT', 0, limit)
    for _, hash in ipairs(hashes) do
        start = '(' .. hash
        local key = keyOf(hash)
        local row = {fieldsOf(key, 'id', 'header', 'revision', 'shares', 'losses', 'initial', 'used')}
        if row[1] and #rows < limit then
            local indexed = call('ZSCORE', tag .. ':used', hash) or '0'
            if tonumber(indexed) >= tonumber(row[7] or 0) then row[7] = indexed end
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
