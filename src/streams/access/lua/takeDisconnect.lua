-- Removes and returns the record of a cut connection.
-- KEYS     connections ordered by time; their records
-- ARGV[1]  connection, or '' for the newest; ARGV[2] older records have expired
local id = ARGV[1]
if id == '' then id = redis.call('ZRANGE', KEYS[1], '+inf', ARGV[2], 'BYSCORE', 'REV', 'LIMIT', 0, 1)[1] end
if not id then return false end
local at = redis.call('ZSCORE', KEYS[1], id)
if not at then return false end
local record = redis.call('HGET', KEYS[2], id)
redis.call('ZREM', KEYS[1], id)
redis.call('HDEL', KEYS[2], id)
if tonumber(at) < tonumber(ARGV[2]) then return false end
return record
