-- Counts for how long an account was connected on a day: each moment once, to however many gateways.
-- KEYS[1]  used: milliseconds so far; upto: until when that is counted; @<gateway>: when it last said that it is connected
-- ARGV[1]  the gateway, ARGV[2..3] since and until when it was connected
-- ARGV[4]  'open' if it still is, 'closed' if not, 'ask' to change nothing
-- ARGV[5]  for how long a gateway that says nothing is believed, ARGV[6] when all this can be forgotten
-- ARGV[7]  what the gateway knows was used, in case that Redis lost it
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
-- Where somebody is connected all of the time since counts, whoever comes first to say so.
local since = connected and upto or math.max(from, upto)
if to > since then used = used + to - since end
if state == 'ask' then return used end
redis.call('HSET', KEYS[1], 'used', string.format('%.0f', used), 'upto', string.format('%.0f', math.max(upto, to)))
if state == 'open' then redis.call('HSET', KEYS[1], gateway, string.format('%.0f', to))
else redis.call('HDEL', KEYS[1], gateway) end
redis.call('PEXPIREAT', KEYS[1], ARGV[6])
return used
