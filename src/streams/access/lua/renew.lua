-- Prolongs the leases of connections, and gives them back to those that Redis lost.
-- KEYS[1]  connections of an account by when their lease ends, ARGV[1] length of a lease, ARGV[2..] the connections
local lease = tonumber(ARGV[1])
local time = redis.call('TIME')
local ends = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000) + lease)
for i = 2, #ARGV do redis.call('ZADD', KEYS[1], ends, ARGV[i]) end
redis.call('PEXPIRE', KEYS[1], lease * 2)
return #ARGV - 1
