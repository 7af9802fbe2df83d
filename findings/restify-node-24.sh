#!/usr/bin/env bash
# restify 11.1.0 cannot be loaded by Node 24: its dependency spdy (through http-deceiver) asks
# process.binding('http_parser') when it is imported, also by apps that never speak HTTP/2. Node 20 loads it, with a warning.
# Version 12.0.0 can be loaded.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private":true}' >package.json
npm install --silent --no-audit --no-fund restify@11.1.0 restify-12@npm:restify@12.0.0 node-20@npm:node@20.19.5 node-24@npm:node@24.11.0
failed=0
loads() { # VERSION OUTCOME [PACKAGE]
  local said
  said=$("node_modules/node-$1/bin/node" -e "require('${3:-restify}'); console.log('loaded')" 2>&1 | grep -oE 'loaded|No such module: http_parser' | tail -1)
  echo "${3:-restify-11}, Node $("node_modules/node-$1/bin/node" --version): $said"
  [ "$said" = "$2" ] || failed=1
}
loads 20 loaded
loads 24 'No such module: http_parser'
loads 24 loaded restify-12
exit $failed
