-- For the scripts that change a list of a session, of permits or clients: the list of their ids without some of them
local function without(list, ids)
    for _, id in ipairs(ids) do
        -- All ids have the same length, so none is a part of another one
        local first, last = string.find(list, id .. ' ', 1, true)
        if first then list = string.sub(list, 1, first - 1) .. string.sub(list, last + 1) end
    end
    return list
end
