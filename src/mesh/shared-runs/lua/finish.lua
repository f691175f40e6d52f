-- Ends a run with a result or a failure.
-- KEYS: id of the current run of the name, state, chunks, waiters, held bytes by run, expiry by run,
-- kept runs of the same kind
-- ARGV: worker (empty for a permanent failure), run id, name, channel of notifications, `end` or `failed`, result or reason,
-- milliseconds to keep the run for later callers (0: not kept), maximum bytes of kept runs of this kind
-- Returns names and ids of runs that are no longer kept
if redis.call('EXISTS', KEYS[2]) == 0 or redis.call('HEXISTS', KEYS[2], 'end') == 1 then return {} end
if ARGV[1] ~= '' and redis.call('HGET', KEYS[2], 'flyer') ~= ARGV[1] then return {} end
redis.call('HSET', KEYS[2], ARGV[5], ARGV[6])
redis.call('PUBLISH', ARGV[4], 'news ' .. ARGV[2])
local bytes = tonumber(redis.call('HGET', KEYS[2], 'bytes') or '0')
local most = tonumber(ARGV[8])
if ARGV[7] == '0' or bytes > most or redis.call('GET', KEYS[1]) ~= ARGV[2] then
  if redis.call('GET', KEYS[1]) == ARGV[2] then redis.call('DEL', KEYS[1]) end
  return {}
end
redis.call('HSET', KEYS[2], 'kept', '1')
for i = 1, 4 do redis.call('PEXPIRE', KEYS[i], ARGV[7]) end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
updateHeld(KEYS[5], KEYS[6], ARGV[2], KEYS[2], KEYS[3], now)
redis.call('ZREMRANGEBYSCORE', KEYS[7], '-inf', now)
redis.call('ZADD', KEYS[7], now + ARGV[7], bytes .. ' ' .. ARGV[2] .. ' ' .. ARGV[3])
redis.call('PEXPIRE', KEYS[7], ARGV[7])
local total, gone = 0, {}
for _, member in ipairs(redis.call('ZREVRANGE', KEYS[7], 0, -1)) do
  local size, id, name = string.match(member, '^(%d+) (%S+) (.*)$')
  total = total + tonumber(size)
  if total > most then
    redis.call('ZREM', KEYS[7], member)
    gone[#gone + 1] = name
    gone[#gone + 1] = id
  end
end
return gone
