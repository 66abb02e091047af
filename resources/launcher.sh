#!/bin/sh
# The `panel` command of an unpacked release: runs the version that the file `current` names. `serve` is supervised: it is started again
# where it asks for that (exit code 75), and a version on trial that does not come up in time is replaced by the former one.
# Updates do not change this file; the files that it reads are described in src/adapters/installation.ts.
set -u
umask 077
self=$(readlink -f -- "$0") || exit 1
root=${self%/*}
MAX_STARTS=3

read_current() {
  version='' former='' seconds=''
  read -r version former seconds <"$root/current" || [ -n "$version" ] || {
    echo "panel: $root/current cannot be read" >&2
    exit 1
  }
  home=$root/versions/$version
  node=$home/node_modules/node/bin/node
  [ -x "$node" ] || node=node
}

# Returns to the former version; $1 says why. A kill between any two lines leaves one of the two versions to be started.
return_to_former() {
  echo "panel: version $version did not come up ($1); version $former starts again" >&2
  printf '%s %s %s\n' "$former" "$version" "$1" >"$root/returned.new" && mv "$root/returned.new" "$root/returned" &&
    printf '%s\n' "$former" >"$root/current.new" && mv "$root/current.new" "$root/current" || exit 1
  rm -f "$root/starts"
}

# Waits for the child, also where a signal interrupts waiting.
await_child() {
  wait "$child"
  code=$?
  while kill -0 "$child" 2>/dev/null; do
    wait "$child"
    code=$?
  done
}

read_current
if [ "${1-}" != serve ]; then
  exec "$node" "$home/bin/panel.mjs" "$@"
fi

child='' stopping=''
stop() {
  stopping=yes
  # A terminal's Ctrl-C reaches the panel by itself; twice would mean "at once".
  [ "$1" = INT ] && [ -t 0 ] && return
  [ -z "$child" ] || kill -s "$1" "$child" 2>/dev/null
}
trap 'stop TERM' TERM
trap 'stop HUP' HUP
trap 'stop INT' INT

while :; do
  read_current
  if [ -n "$former" ]; then
    starts=0
    [ ! -f "$root/starts" ] || read -r starts <"$root/starts" || starts=$MAX_STARTS
    if [ "$starts" -ge "$MAX_STARTS" ]; then
      return_to_former interrupted
      continue
    fi
    echo $((starts + 1)) >"$root/starts"
  fi

  GATEHOUSE_LAUNCHED=$$ "$node" --max-semi-space-size=2 "$home/bin/panel.mjs" "$@" &
  child=$!
  [ -z "$stopping" ] || kill -s TERM "$child" 2>/dev/null

  if [ -n "$former" ]; then
    trying=$version waited=0
    # The version comes up when it takes the rest of the line away.
    while [ -n "$former" ] && [ -z "$stopping" ] && [ "$waited" -lt "$seconds" ] && kill -0 "$child" 2>/dev/null; do
      sleep 1
      waited=$((waited + 1))
      read_current
    done
    read_current
    if [ -n "$former" ] && [ "$version" = "$trying" ] && [ -z "$stopping" ]; then
      if kill -0 "$child" 2>/dev/null; then
        kill -s KILL "$child" 2>/dev/null
        await_child
        return_to_former silent
        continue
      fi
      await_child
      # Killed from outside, which is not the version's doing: it is started again.
      [ "$code" -eq 137 ] || return_to_former ended
      continue
    fi
  fi

  await_child
  [ "$code" -eq 75 ] && [ -z "$stopping" ] || exit "$code"
done
