#!lua
-- Before the creation of a personal session, names it. The key is that of `:me:`. Arguments: hash
local hash, other = ARGV[1], call('GET', session)
if other and other ~= hash and fieldsOf(keyOf(other), 'id') then return {'PERSONAL'} end
if other ~= hash then call('SET', session, hash) end
return 1
