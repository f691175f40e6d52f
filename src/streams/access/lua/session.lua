-- Counts how long an account was connected on a day. Time is counted once, whatever the number of gateways.
-- KEYS[1]  used: milliseconds so far; upto: end of the counted time; @<gateway>: its last report of being connected
-- ARGV[1]  gateway, ARGV[2..3] start and end of its connected interval
-- ARGV[4]  'open' if it is still connected, 'closed' if not, 'ask' to only read
-- ARGV[5]  milliseconds after which a silent gateway counts as disconnected, ARGV[6] expiry of the key
-- ARGV[7]  usage known to the gateway, in case Redis lost it
-- Returns the milliseconds used
local gateway, from, to, state = '@' .. ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4]
local patience = tonumber(ARGV[5])
local used, upto, connected = 0, 0, false
local all = redis.call('HGETALL', KEYS[1])
for i = 1, #all, 2 do
  local field, value = all[i], tonumber(all[i + 1])
  if field == 'used' then used = value
  elseif field == 'upto' then upto = value
  elseif value >= to - patience then connected = true
  elseif state ~= 'ask' then redis.call('HDEL', KEYS[1], field) end
end
used = math.max(used, tonumber(ARGV[7]))
-- While any gateway is connected, all time since `upto` counts, whichever gateway reports first.
local since = connected and upto or math.max(from, upto)
if to > since then used = used + to - since end
if state == 'ask' then return used end
redis.call('HSET', KEYS[1], 'used', string.format('%.0f', used), 'upto', string.format('%.0f', math.max(upto, to)))
if state == 'open' then redis.call('HSET', KEYS[1], gateway, string.format('%.0f', to))
else redis.call('HDEL', KEYS[1], gateway) end
redis.call('PEXPIREAT', KEYS[1], ARGV[6])
return used
