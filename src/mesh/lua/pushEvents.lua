-- Appends events to the tail, in order and without a gap.
-- KEYS[1] the stream, KEYS[2] hash of its owner: log (identity of the log), epoch (highest epoch of a relay that wrote)
-- ARGV[1] the log, ARGV[2] epoch of this relay, ARGV[3] events to keep, ARGV[4] expected last seq (0: empty)
-- ARGV[5..] pairs of seq and event as JSON, ascending
-- Returns the last seq now, -1 when a newer relay of this log has written, -2 when the last seq differs
if redis.call('HGET', KEYS[2], 'log') ~= ARGV[1] then
  -- The stream belongs to another database, or to an older copy of this one.
  redis.call('DEL', KEYS[1], KEYS[2])
  redis.call('HSET', KEYS[2], 'log', ARGV[1])
end
local seen = tonumber(redis.call('HGET', KEYS[2], 'epoch') or '0')
if tonumber(ARGV[2]) < seen then return -1 end
redis.call('HSET', KEYS[2], 'epoch', ARGV[2])

local last = 0
local newest = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)
if newest[1] then last = tonumber(string.match(newest[1][1], '^%d+')) end
if last ~= tonumber(ARGV[4]) then return -2 end

for i = 5, #ARGV, 2 do
  redis.call('XADD', KEYS[1], 'MAXLEN', '~', ARGV[3], ARGV[i] .. '-0', 'e', ARGV[i + 1])
  last = tonumber(ARGV[i])
end
return last
