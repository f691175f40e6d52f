# Runs one server, and stops it when standard input ends: that is when Presage has gone, however it went.
#
#   keeper.sh SIGNAL PATIENCE STALE command…
#
# SIGNAL stops the server politely, PATIENCE is how many seconds it may take, STALE (or "") is a lock file left by a
# server that no longer runs. fd 1 gets the server's pid, fd 2 is its log, fd 3 the file that marks the data as in use.
signal=$1 patience=$2 stale=$3
shift 3
exec 4<&0 </dev/null

# The lock sees what process ids cannot: a server in another container that mounts the same directory.
if command -v flock >/dev/null 2>&1; then
  flock -n 3
  [ $? -ne 1 ] || exit 75
fi
[ -z "$stale" ] || rm -f -- "$stale"

"$@" >&2 3<&- 4<&- &
server=$!
# Whoever signals everything at once (a service manager, `docker stop`) must not take the server from a Presage that drains.
trap '' HUP INT TERM
echo "$server"
exec >&-

(
  while read -r _; do :; done <&4
  kill -s "$signal" "$server"
  left=$((patience * 10))
  while [ "$left" -gt 0 ] && kill -0 "$server"; do
    sleep 0.1
    left=$((left - 1))
  done
  kill -s KILL "$server"
) 2>/dev/null &
watcher=$!

wait "$server"
code=$?
kill -s KILL "$watcher" 2>/dev/null
exit "$code"
