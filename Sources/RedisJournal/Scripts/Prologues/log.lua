-- For the scripts that read commits.
-- The commits from one revision to another; no more of them once they have so many bytes
local function log(first, last, bound)
    local found, length, step = {}, 0, bound and 4 or 1000
    for start = first, last, step do
        local names = {}
        for revision = start, math.min(last, start + step - 1) do names[#names + 1] = 'c' .. revision end
        local part = call('HMGET', session, unpack(names))
        for index = 1, #names do
            found[#found + 1] = part[index]
            length = length + #(part[index] or '')
        end
        if bound and length >= bound then break end
    end
    return found
end
-- The newest snapshot that is not newer than a revision: its revision or 0, and its content
local function snapshot(snapshots, limit)
    local newest = 0
    for revision in string.gmatch(snapshots, '(%d+) %d+') do
        revision = tonumber(revision)
        if revision <= limit then newest = math.max(newest, revision) end
    end
    return newest, newest > 0 and call('HGET', session, 's' .. newest)
end
