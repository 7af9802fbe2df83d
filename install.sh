#!/bin/sh
# Installs the dlv program for the current user, without Node and without root.
#
#   curl -fsSL https://github.com/dlv-cli/dlv/releases/latest/download/install.sh | sh
#   sh install.sh --from ./dist-release          # from a folder that holds the files of a release
#
# --version X.Y.Z   a release other than the latest
# --dir FOLDER      instead of ~/.local/bin
# --from PLACE      a folder or a URL that holds the files of a release
set -eu

main() {
  version=latest
  dir=${DLV_INSTALL_DIR:-}
  from=
  while [ $# -gt 0 ]; do
    case $1 in
      --version | --dir | --from)
        [ $# -ge 2 ] || fail "$1 needs a value."
        case $1 in
          --version) version=${2#v} ;;
          --dir) dir=$2 ;;
          --from) from=${2%/} ;;
        esac
        shift 2
        ;;
      --help | -h)
        echo 'Usage: install.sh [--version X.Y.Z] [--dir FOLDER] [--from FOLDER-OR-URL]'
        return
        ;;
      *) fail "Unknown option $1. Use --version, --dir or --from." ;;
    esac
  done
  if [ -z "$dir" ]; then
    [ -n "${HOME:-}" ] || fail 'HOME is not set. Name the folder: --dir FOLDER'
    dir=$HOME/.local/bin
  fi
  if [ -z "$from" ]; then
    releases=https://github.com/dlv-cli/dlv/releases
    if [ "$version" = latest ]; then from=$releases/latest/download; else from=$releases/download/v$version; fi
  fi

  archive=$(archive_of_this_machine)
  [ ! -d "$dir/dlv" ] || fail "$dir/dlv is a folder. Rename it, or choose another folder: --dir FOLDER"
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM
  fetch SHA256SUMS
  expected=$(awk -v name="$archive" '$2 == name { print $1 }' "$work/SHA256SUMS")
  [ -n "$expected" ] || fail "$from has no $archive in SHA256SUMS."
  fetch "$archive"
  actual=$(checksum "$work/$archive")
  actual=${actual%% *}
  if [ "$actual" != "$expected" ]; then
    fail "The checksum of $archive is wrong: expected $expected, got $actual. Nothing was installed."
  fi
  tar -xzf "$work/$archive" -C "$work" dlv

  mkdir -p "$dir" 2>/dev/null || fail "Cannot create $dir. Choose another folder: --dir FOLDER"
  dir=$(CDPATH='' cd -- "$dir" && pwd)
  # In the same folder, so that a running program is replaced as a whole.
  new=$dir/.dlv.$$
  trap 'rm -rf "$work" "$new"' EXIT
  { cp "$work/dlv" "$new" && chmod 755 "$new"; } 2>/dev/null ||
    fail "Cannot write to $dir. Choose another folder: --dir FOLDER"
  installed=$("$new" --version 2>&1) || fail "The program does not run on this machine: $installed"
  mv -f "$new" "$dir/dlv"

  echo "Installed $installed"
  echo "  from      $from/$archive"
  echo "  SHA-256   $actual, as in SHA256SUMS"
  echo "  to        $dir/dlv, the only file; delete it to uninstall"
  case ":${PATH:-}:" in
    *":$dir:"*) echo 'Try it: dlv tour' ;;
    *) echo "$dir is not in your PATH. Add it in your shell's start-up file: export PATH=\"$dir:\$PATH\"" ;;
  esac
}

fail() {
  echo "install.sh: $1" >&2
  exit 1
}

archive_of_this_machine() {
  system=$(uname -s)
  machine=$(uname -m)
  case $machine in
    x86_64 | amd64) arch=x64 ;;
    aarch64 | arm64) arch=arm64 ;;
    *) arch= ;;
  esac
  if [ "$system" != Linux ] || [ -z "$arch" ]; then
    fail "There is no program for $system on $machine. With Node 22.19 or newer: npm install --global dlv-cli"
  fi
  for loader in /lib/ld-musl-*; do
    [ -e "$loader" ] && [ ! -e /lib64/ld-linux-x86-64.so.2 ] && [ ! -e /lib/ld-linux-aarch64.so.1 ] &&
      fail 'The program needs glibc, and this system has musl. With Node 22.19 or newer: npm install --global dlv-cli'
  done
  echo "dlv-linux-$arch.tar.gz"
}

fetch() {
  case $from in
    http://* | https://*)
      if command -v curl >/dev/null 2>&1; then
        curl --fail --silent --show-error --location --output "$work/$1" "$from/$1" || fail "Cannot download $from/$1."
      elif command -v wget >/dev/null 2>&1; then
        wget -q -O "$work/$1" "$from/$1" || fail "Cannot download $from/$1."
      else
        fail 'Downloading needs curl or wget.'
      fi
      ;;
    *) cp "$from/$1" "$work/$1" 2>/dev/null || fail "Cannot read $from/$1." ;;
  esac
}

checksum() {
  if command -v sha256sum >/dev/null 2>&1; then
    sha256sum <"$1"
  elif command -v shasum >/dev/null 2>&1; then
    shasum -a 256 <"$1"
  else
    fail 'Checking the download needs sha256sum or shasum.'
  fi
}

# Called at the end, so that a download that breaks off runs nothing.
main "$@"
