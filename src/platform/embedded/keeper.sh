# Runs one server, and stops it when standard input closes, which happens however Presage exits.
#
#   keeper.sh SIGNAL PATIENCE STALE command…
#
# SIGNAL stops the server gracefully, PATIENCE is the time it has in seconds, STALE (or "") is a lock file left by a server
# that no longer runs. fd 1 receives the server's pid, fd 2 is its log, fd 3 is the file that is locked while data is in use.
signal=$1 patience=$2 stale=$3
shift 3
exec 4<&0 </dev/null

# Unlike process ids, the lock detects a server in another container that mounts the same directory.
if command -v flock >/dev/null 2>&1; then
  flock -n 3
  [ $? -ne 1 ] || exit 75
fi
[ -z "$stale" ] || rm -f -- "$stale"

"$@" >&2 3<&- 4<&- &
server=$!
# A service manager or `docker stop` signals all processes at once, but Presage needs the server while it drains.
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
