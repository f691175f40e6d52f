-- Records why a connection of a key was cut.
-- KEYS     connections ordered by time; their records
-- ARGV[1]  connection, ARGV[2] time, ARGV[3] record, ARGV[4] maximum per key, ARGV[5] retention in milliseconds
redis.call('ZADD', KEYS[1], ARGV[2], ARGV[1])
redis.call('HSET', KEYS[2], ARGV[1], ARGV[3])
for _, id in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1 - ARGV[4])) do
  redis.call('ZREM', KEYS[1], id)
  redis.call('HDEL', KEYS[2], id)
end
redis.call('PEXPIRE', KEYS[1], ARGV[5])
redis.call('PEXPIRE', KEYS[2], ARGV[5])
return 1
