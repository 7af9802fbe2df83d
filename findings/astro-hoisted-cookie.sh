#!/usr/bin/env bash
# A site of Astro 7 that is built for Node imports `cookie`, which is no dependency of the site itself and is not bundled. Where
# another package came first, such as Express, npm has put that one's older `cookie` beside it: the build succeeds, and the
# server does not start. With `cookie` 2 among the site's own dependencies it does.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
export ASTRO_TELEMETRY_DISABLED=1 HOST=127.0.0.1 PORT=14599
echo '{"type":"module","private":true}' >package.json
npm install --silent --no-audit --no-fund express@5.3.0
npm install --silent --no-audit --no-fund astro@7.3.5 @astrojs/node@11.1.6
mkdir -p src/pages
echo 'export const GET = () => new Response("hello")' >src/pages/index.js
echo "import node from '@astrojs/node'
export default { output: 'server', adapter: node({ mode: 'standalone' }) }" >astro.config.mjs
version() { node -p "JSON.parse(require('fs').readFileSync('node_modules/$1/package.json')).version"; }
starts() {
  npx astro build >build.txt 2>&1 || { cat build.txt; exit 1; }
  node dist/server/entry.mjs >start.txt 2>&1 &
  server=$!
  answer=
  for _ in $(seq 50); do
    answer=$(node -e 'fetch("http://127.0.0.1:14599/").then(async (answer) => console.log(await answer.text()), () => {})')
    [ -z "$answer" ] || break
    kill -0 "$server" 2>/dev/null || break
    sleep 0.2
  done
  kill "$server" 2>/dev/null || true
  wait "$server" 2>/dev/null || true
  [ "$answer" = hello ]
}

echo "astro $(version astro), @astrojs/node $(version @astrojs/node), express $(version express), cookie $(version cookie)"
if starts; then echo 'It started.' && exit 1; fi
grep -m1 SyntaxError start.txt
npm install --silent --no-audit --no-fund cookie@2.0.2
echo "cookie $(version cookie):"
starts && echo 'it starts and answers hello'
