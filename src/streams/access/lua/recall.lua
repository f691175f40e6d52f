-- Tells once why a connection of a key was cut.
-- KEYS     connections by when it was; what was said of each
-- ARGV[1]  the connection, or nothing for the newest; ARGV[2] what was before this is no longer told
local id = ARGV[1]
if id == '' then id = redis.call('ZRANGE', KEYS[1], '+inf', ARGV[2], 'BYSCORE', 'REV', 'LIMIT', 0, 1)[1] end
if not id then return false end
local at = redis.call('ZSCORE', KEYS[1], id)
if not at then return false end
local words = redis.call('HGET', KEYS[2], id)
redis.call('ZREM', KEYS[1], id)
redis.call('HDEL', KEYS[2], id)
if tonumber(at) < tonumber(ARGV[2]) then return false end
return words
