-- Appends events to the hot tail, in order and without a hole.
-- KEYS[1] the stream, KEYS[2] the highest relay epoch seen
-- ARGV[1] epoch of this relay, ARGV[2] events to keep, ARGV[3] seq this relay believes to be last (0: empty)
-- ARGV[4..] pairs of seq and event as JSON, ascending
-- Returns the last seq now, -1 when a newer relay has written, -2 when the last seq is another
local seen = tonumber(redis.call('GET', KEYS[2]) or '0')
if tonumber(ARGV[1]) < seen then return -1 end
redis.call('SET', KEYS[2], ARGV[1])

local last = 0
local newest = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)
if newest[1] then last = tonumber(string.match(newest[1][1], '^%d+')) end
if last ~= tonumber(ARGV[3]) then return -2 end

for i = 4, #ARGV, 2 do
  redis.call('XADD', KEYS[1], 'MAXLEN', '~', ARGV[2], ARGV[i] .. '-0', 'e', ARGV[i + 1])
  last = tonumber(ARGV[i])
end
return last
