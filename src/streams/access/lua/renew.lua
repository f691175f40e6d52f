-- Extends the leases of connections and restores those that Redis lost.
-- KEYS[1]  connections of an account by lease expiry, ARGV[1] lease duration, ARGV[2..] connections
local lease = tonumber(ARGV[1])
local time = redis.call('TIME')
local ends = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000) + lease)
for i = 2, #ARGV do redis.call('ZADD', KEYS[1], ends, ARGV[i]) end
redis.call('PEXPIRE', KEYS[1], lease * 2)
return #ARGV - 1
