-- Shows what a shard knows of its books.
-- KEYS[1] hash of quotes by token, with `epoch` (of the shard that writes) and `at` (when it last did), KEYS[2] hash of whole books
-- ARGV[1] epoch of this shard, ARGV[2] now in milliseconds, ARGV[3] for how many milliseconds it is kept
-- ARGV[4..] triples of token, quote and book as JSON; an empty quote takes the token away
-- Returns -1 when a newer shard has written, 1 when nothing of this shard was there, else 0
local seen = redis.call('HGET', KEYS[1], 'epoch')
if seen and tonumber(seen) > tonumber(ARGV[1]) then return -1 end
local fresh = 0
if seen ~= ARGV[1] then
  redis.call('DEL', KEYS[1], KEYS[2])
  fresh = 1
end
redis.call('HSET', KEYS[1], 'epoch', ARGV[1], 'at', ARGV[2])
for i = 4, #ARGV, 3 do
  if ARGV[i + 1] == '' then
    redis.call('HDEL', KEYS[1], ARGV[i])
    redis.call('HDEL', KEYS[2], ARGV[i])
  else
    redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 1])
    redis.call('HSET', KEYS[2], ARGV[i], ARGV[i + 2])
  end
end
redis.call('PEXPIRE', KEYS[1], ARGV[3])
redis.call('PEXPIRE', KEYS[2], ARGV[3])
return fresh
