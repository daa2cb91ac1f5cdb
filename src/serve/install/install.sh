#!/bin/sh
# Installs gsv from the server that served this script:
#   curl -fsSL ORIGIN/public/gsv/downloads/cli/install.sh | sh
# GSV_BASE_URL: another server. GSV_CHANNEL: another channel. GSV_INSTALL_DIR: another directory (default: $XDG_BIN_HOME or ~/.local/bin).
# It does nothing before the last line has arrived.

fail() {
  echo "gsv: $1" >&2
  [ -z "${2:-}" ] || echo "  $2" >&2
  exit 1
}

has() {
  command -v "$1" >/dev/null 2>&1
}

fetch() {
  if has curl; then
    curl -fsSL -o "$2" "$1" </dev/null
  elif has wget; then
    wget -q -O "$2" "$1" </dev/null
  else
    fail "curl or wget is needed to download $1" "install one of them"
  fi
}

sum_of() {
  if has sha256sum; then
    sum=$(sha256sum <"$1")
  elif has shasum; then
    sum=$(shasum -a 256 <"$1")
  elif has openssl; then
    sum=$(openssl dgst -sha256 -r <"$1")
  else
    fail "sha256sum, shasum or openssl is needed to check the download" "install one of them"
  fi
  echo "${sum%% *}"
}

is_musl() {
  for loader in /lib/ld-musl-*; do
    [ -e "$loader" ] && ! [ -e /lib64/ld-linux-x86-64.so.2 ] && ! [ -e /lib/ld-linux-aarch64.so.1 ] && return 0
  done
  has ldd && ldd --version 2>&1 </dev/null | grep -qi musl
}

asset_name() {
  case "$(uname -s)" in
    Linux) os=linux ;;
    Darwin) os=darwin ;;
    *) fail "no gsv for $(uname -s)" "on Windows, run install.ps1 in PowerShell" ;;
  esac
  case "$(uname -m)" in
    x86_64 | amd64) arch=x64 ;;
    aarch64 | arm64) arch=arm64 ;;
    *) fail "no gsv for the processor $(uname -m)" ;;
  esac
  # A shell under Rosetta says x86_64.
  if [ "$os" = darwin ] && [ "$(sysctl -n sysctl.proc_translated 2>/dev/null)" = 1 ]; then arch=arm64; fi
  if [ "$os" = linux ] && is_musl; then echo "gsv-$os-$arch-musl"; else echo "gsv-$os-$arch"; fi
}

main() {
  set -u
  umask 022
  origin=${1:-${GSV_BASE_URL:-'@GSV_ORIGIN@'}}
  origin=${origin%/}
  case "$origin" in
    http://?* | https://?*) ;;
    *) fail "no server to download from" "name it: GSV_BASE_URL=https://HOST sh install.sh" ;;
  esac
  downloads=$origin/public/gsv/downloads/cli
  asset=$(asset_name) || exit 1
  directory=${GSV_INSTALL_DIR:-${XDG_BIN_HOME:-${HOME:?}/.local/bin}}
  [ ! -d "$directory/gsv" ] || fail "$directory/gsv is a directory" "choose another: GSV_INSTALL_DIR=DIRECTORY"

  new=$directory/.gsv.new.$$
  work=$(mktemp -d) || fail "cannot create a temporary directory"
  trap 'rm -rf "$work" "$new"' EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM HUP

  channel=${GSV_CHANNEL:-}
  if [ -z "$channel" ]; then
    fetch "$downloads/default-channel.txt" "$work/channel" || fail "$origin offers no gsv" "on the server, run: gsv bootstrap"
    channel=$(cat "$work/channel")
  fi
  case "$channel" in
    '' | *[!A-Za-z0-9._-]* | .*) fail "the name of the channel is not valid" "name another: GSV_CHANNEL=stable" ;;
  esac

  echo "Downloading $asset ($channel) from $origin" >&2
  fetch "$downloads/$channel/$asset.sha256" "$work/sum" || fail "$origin has no $asset in the channel $channel"
  fetch "$downloads/$channel/$asset" "$work/gsv" || fail "cannot download $asset from $origin"
  read -r wanted _ <"$work/sum" || fail "the checksum of $asset is empty"
  found=$(sum_of "$work/gsv") || exit 1
  [ "${#found}" = 64 ] && [ "$found" = "$wanted" ] ||
    fail "the checksum of $asset is wrong: nothing was installed" "try again, or tell the owner of the server"

  mkdir -p "$directory" || fail "cannot create $directory" "choose another: GSV_INSTALL_DIR=DIRECTORY"
  cp "$work/gsv" "$new" && chmod 755 "$new" || fail "cannot write to $directory" "choose another: GSV_INSTALL_DIR=DIRECTORY"
  version=$("$new" --version </dev/null) || fail "the new gsv does not run on this computer: nothing was installed"
  mv -f "$new" "$directory/gsv" || fail "cannot replace $directory/gsv"

  echo "Installed $directory/gsv ($version)"
  case ":${PATH:-}:" in
    *":$directory:"*) ;;
    *) echo "Not in PATH. Add it: export PATH=\"$directory:\$PATH\"" ;;
  esac
  echo "To use the gsv of this server from here: gsv login $origin"
}

{ main "$@"; }
