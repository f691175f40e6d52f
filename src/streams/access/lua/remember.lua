-- Keeps why a connection of a key was cut.
-- KEYS     connections by when it was; what was said of each
-- ARGV[1]  the connection, ARGV[2] when, ARGV[3] the words, ARGV[4] how many are kept, ARGV[5] for how many milliseconds
redis.call('ZADD', KEYS[1], ARGV[2], ARGV[1])
redis.call('HSET', KEYS[2], ARGV[1], ARGV[3])
for _, id in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1 - ARGV[4])) do
  redis.call('ZREM', KEYS[1], id)
  redis.call('HDEL', KEYS[2], id)
end
redis.call('PEXPIRE', KEYS[1], ARGV[5])
redis.call('PEXPIRE', KEYS[2], ARGV[5])
return 1
