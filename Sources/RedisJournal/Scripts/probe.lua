#!lua
-- A server that would refuse writes refuses to begin with this. It also finds out whether the user may execute the
-- commands of all scripts.
if not redis.acl_check_cmd then return {'OK'} end
local key = tag .. ':meta'
for command in string.gmatch('COMMANDS', '%a+') do
    if not redis.acl_check_cmd(command, key, key, key) then
        return redis.error_reply('NOPERM the user may not execute ' .. command)
    end
end
return {'OK'}
