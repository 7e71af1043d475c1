#!lua flags=allow-oom
-- The oldest commits and snapshots do not belong to the log any more. Arguments: claim, newest revision that may be
-- deleted for the number of commits, oldest pinned revision, the most bytes, the bytes to which the log is then
-- brought down
local claim, limit, pinned, bytes, trimmed = unpack(ARGV)
local holder, cut, total, cutTotal, snapshots = fields('claim', 'cut', 'total', 'cutTotal', 'snapshots')
if holder ~= claim then return {'FENCED'} end
limit, pinned, bytes, trimmed = tonumber(limit), tonumber(pinned), tonumber(bytes), tonumber(trimmed)
cut, total, cutTotal = tonumber(cut), tonumber(total), tonumber(cutTotal or 0)
local isLarge = total - cutTotal > bytes
local base, baseTotal, rest
for start, revision, at in string.gmatch(snapshots or '', '()(%d+) (%d+)') do
    revision, at = tonumber(revision), tonumber(at)
    if revision > pinned then break end
    if revision > cut then
        local isOverdue = isLarge and total - (baseTotal or cutTotal) > trimmed
        if revision > limit and not isOverdue then break end
        base, baseTotal, rest = revision, at, start
    end
end
if base then
    call('HSET', session, 'cut', base, 'cutTotal', baseTotal, 'snapshots', string.sub(snapshots, rest))
end
return 1
