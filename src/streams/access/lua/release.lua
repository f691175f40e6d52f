-- Takes back the place of a connection.
-- KEYS[1]  connections by when their lease ends
-- ARGV[1]  the connection
return redis.call('ZREM', KEYS[1], ARGV[1])
