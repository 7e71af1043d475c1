#!lua flags=allow-oom
-- Deletes what does not belong to the log any more, and expired idempotency records, the oldest first. The answer is
-- 2 if there is more. Arguments: claim
local holder, cut, oldest = fields('claim', 'cut', 'oldest')
if holder ~= ARGV[1] then return {'FENCED'} end
local function isThere(name) return call('HEXISTS', session, name) == 1 end
-- The first of those that are there until a number: all between them are
local function first(letter, last)
    local low, high = 1, last + 1
    while low < high do
        local middle = math.floor((low + high) / 2)
        if isThere(letter .. middle) then high = middle else low = middle + 1 end
    end
    return low
end
local names, lastCommit, lastAnswer = {}, tonumber(cut), tonumber(oldest or 1) - 1
local commit, answer = first('c', lastCommit), first('a', lastAnswer)
for revision = commit - 1, math.min(lastCommit, commit + 2000) do
    if revision >= commit then names[#names + 1] = 'c' .. revision end
    if revision < lastCommit and isThere('s' .. revision) then names[#names + 1] = 's' .. revision end
end
for number = answer, math.min(lastAnswer, answer + 2000) do names[#names + 1] = 'a' .. number end
if #names > 0 then call('HDEL', session, unpack(names)) end
return (commit + 2000 < lastCommit or answer + 2000 < lastAnswer) and 2 or 1
