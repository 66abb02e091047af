#!/bin/sh
# Runs a command in a network namespace of its own, with loopback and one local network, where that is possible: Chromium aborts what it loads
# (ERR_NETWORK_CHANGED) whenever another program adds an interface to the machine or removes one.
set -e
network='
  ip link set lo up
  ip link add lan0 type veth peer name lan1
  ip addr add 192.168.77.1/24 dev lan0
  ip link set lan0 up
  ip link set lan1 up
'
if unshare --net sh -ec "$network" 2>/dev/null; then
  exec unshare --net sh -ec "$network"' exec "$@"' sh "$@"
fi
exec "$@"
