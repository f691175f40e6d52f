-- Publishes a shard's books and their changes.
-- KEYS[1] hash of quotes by token, with `epoch` (of the writing shard) and `at` (when the shard last heard of the venue)
-- KEYS[2] hash of full books by token, with `n` (number of the last entry)
-- KEYS[3] stream of changes: each entry has `epoch`, `n` (its number within the epoch) and changes by token
-- ARGV[1] epoch of this shard, ARGV[2] when it last heard of the venue, in milliseconds, ARGV[3] expiry in milliseconds,
-- ARGV[4] approximate maximum length of the stream, ARGV[5] number of this entry
-- ARGV[6..] groups of token, quote, book and change as JSON; an empty quote removes the token, an empty change is skipped
-- Returns -1 if a newer shard has written, 1 if earlier writes of this shard are missing, else 0
local seen = redis.call('HGET', KEYS[1], 'epoch')
if seen and tonumber(seen) > tonumber(ARGV[1]) then return -1 end
local fresh = 0
if seen ~= ARGV[1] then
  redis.call('DEL', KEYS[1], KEYS[2])
  fresh = 1
elseif redis.call('HGET', KEYS[2], 'n') ~= tostring(ARGV[5] - 1) then
  fresh = 1
end
redis.call('HSET', KEYS[2], 'n', ARGV[5])
redis.call('HSET', KEYS[1], 'epoch', ARGV[1], 'at', ARGV[2])
local entry = {'epoch', ARGV[1], 'n', ARGV[5]}
for i = 6, #ARGV, 4 do
  if ARGV[i + 1] == '' then
    redis.call('HDEL', KEYS[1], ARGV[i])
    redis.call('HDEL', KEYS[2], ARGV[i])
  else
    redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 1])
    redis.call('HSET', KEYS[2], ARGV[i], ARGV[i + 2])
  end
  if ARGV[i + 3] ~= '' then
    entry[#entry + 1] = ARGV[i]
    entry[#entry + 1] = ARGV[i + 3]
  end
end
redis.call('XADD', KEYS[3], 'MAXLEN', '~', ARGV[4], '*', unpack(entry))
redis.call('PEXPIRE', KEYS[1], ARGV[3])
redis.call('PEXPIRE', KEYS[2], ARGV[3])
redis.call('PEXPIRE', KEYS[3], ARGV[3])
return fresh
