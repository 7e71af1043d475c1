#!lua flags=no-writes
-- Arguments: name after which the list begins or '', limit, subjects whose sessions are listed, none for all sessions
local start = ARGV[1] == '' and '-' or '(' .. ARGV[1]
local limit = tonumber(ARGV[2])
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
        if #rows < limit then addRow(hash) end
    end
until #hashes < limit or #rows == limit
return listed()
