-- Releases the lease of a connection.
-- KEYS[1]  connections by lease expiry
-- ARGV[1]  connection
return redis.call('ZREM', KEYS[1], ARGV[1])
