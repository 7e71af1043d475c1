-- For the scripts that list sessions: their rows, and the initial states by their keys
local rows, initial, states, now = {}, {}, {}, moment()
local function addRow(hash)
    local key = keyOf(hash)
    local row = {fieldsOf(key, 'id', 'header', 'revision', 'shares', 'losses', 'initial', 'used')}
    if not row[1] then return end
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
local function listed()
    for key in pairs(initial) do
        states[#states + 1] = key
        states[#states + 1] = call('GET', key)
    end
    return {'OK', rows, states}
end
