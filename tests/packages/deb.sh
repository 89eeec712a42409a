#!/usr/bin/env bash
# The Debian packages in a fresh Debian of this machine's release, which has apt and nothing more: the
# command imports, samples and measures. Programs that the host's compilers build with libgls-dev alone run
# there, too; a compiler of its own would be 200 MB to fetch.
#
#   deb.sh SCRATCH DIST
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
scratch=$1 dist=$2
version=$("$here/../../scripts/version.sh")

lintian --fail-on error,warning --allow-root --tag-display-limit 0 "$dist"/*.deb

as_root=()
[ "$(id -u)" -eq 0 ] || as_root=(sudo)
root=$scratch/root
# What belongs to root is removed by root.
trap '"${as_root[@]}" rm -rf "$root"' EXIT
inside() { "${as_root[@]}" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 chroot "$root" "$@"; }

# This machine's own sources, without those of other vendors.
sources=()
for file in /etc/apt/sources.list /etc/apt/sources.list.d/{debian,ubuntu}.sources; do
  [ ! -s "$file" ] || sources+=("$file")
done
# What the plugins need besides.
needed=$(for file in "$dist"/libgls0-*.deb; do dpkg-deb -f "$file" Depends; done | tr ',' '\n' |
  sed 's/ *(.*//; s/^ *//' | grep -v '^libgls' | sort -u | paste -sd,)
"${as_root[@]}" mmdebstrap --mode=root --variant=apt --quiet --include="$needed" \
  "$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)" "$root" "${sources[@]}"

"${as_root[@]}" cp "$dist"/*.deb "$root/root"
"${as_root[@]}" cp -r "$here/../../examples/data/cora" "$root/srv"
# Nothing is fetched: dpkg fails when something is missing.
inside sh -c 'dpkg -i /root/libgls0*.deb /root/gls-tools_*.deb >/dev/null'
inside /srv/cora/import.sh /srv/graph
inside gls verify /srv/graph
inside gls sample /srv/graph --fanout 10,10 --seeds 0,1,2
inside gls bench /srv/graph --fanout 10,10
inside gls version
# Cut by METIS, and served.
# shellcheck disable=SC2016 # for the shell inside
inside sh -euc '
  gls partition /srv/graph /srv/parts --parts 2 --method metis
  GLS_NET_KEY=$(head -c 32 /dev/urandom | od -An -v -tx1 | tr -d " \n")
  export GLS_NET_KEY
  gls serve /srv/parts >/srv/ready &
  for i in $(seq 100); do
    [ -s /srv/ready ] || sleep 0.1
  done
  gls sample "gls://$(sed "s/.* at //" /srv/ready)" --fanout 10,10 --seeds 0,1,2
  kill $!
  wait $!
  # There is no /sys here, so that UCX and libfabric have no interfaces; but they are there.
  GLS_NET_DATA=ucx GLS_NET_DATA_DEVICES=none0 gls serve /srv/parts 2>&1 |
    grep -q "there is no interface \"none0\""
  GLS_NET_DATA=ofi GLS_NET_DATA_DEVICES=none0 gls serve /srv/parts 2>&1 |
    grep -q "there is no interface \"none0\""'

# libgls-dev, in a folder of the host.
dev=$scratch/dev
for file in "$dist"/libgls*.deb; do
  dpkg-deb -x "$file" "$dev"
done
pc=$(find "$dev" -name gls.pc)
export PKG_CONFIG_PATH=${pc%/*}
[ "$(pkg-config --modversion gls)" = "$version" ]
# shellcheck disable=SC2046 # words are meant to be split
cc -std=c11 "$here/../../examples/epoch.c" -o "$scratch/epoch" $(pkg-config --cflags --libs gls)
cmake -S "$here/../capi/install" -B "$scratch/build" -DCMAKE_PREFIX_PATH="$dev/usr" -DEXPECTED="$version" \
  >/dev/null
cmake --build "$scratch/build" >/dev/null
"${as_root[@]}" cp "$scratch/epoch" "$scratch"/build/{c_program,cpp_program} "$root/root"
inside /root/epoch /srv/graph train
inside /root/c_program
inside /root/cpp_program

# They go as they came.
inside sh -c 'dpkg -i /root/libgls-dev_*.deb >/dev/null && apt-get check -q'
inside sh -c 'dpkg --purge gls-tools libgls-dev libgls0-tcp libgls0-metis libgls0-ucx libgls0-ofi libgls0 >/dev/null'
left=$(inside find /usr -name '*gls*')
[ -z "$left" ] || { echo "deb.sh: still there after removal: $left" >&2; exit 1; }
