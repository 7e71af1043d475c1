#!lua flags=no-writes
-- Finds the personal session of the key of `:me:`.
local hash = call('GET', session)
return {'OK', hash and fieldsOf(keyOf(hash), 'id')}
