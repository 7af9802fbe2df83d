/** The script that Node runs from inside the executable. The text of the loader is put before it. */
const { getAsset, getAssetKeys, getRawAsset } = require('node:sea')

const names = new Set(getAssetKeys())
const load = createLoader({
  source: (name) => getAsset(name, 'utf8'),
  compiled: (name) => (names.has(`${name}.compiled`) ? new Uint8Array(getRawAsset(`${name}.compiled`)) : undefined),
})
// The program starts itself again to run a query, see src/cli/query/run-query.ts.
if (process.argv[2] === '__query' && process.send !== undefined) load('query-child.cjs')
else load('dlv.cjs').start(process.argv.slice(2), () => getAsset('oclif.manifest.json', 'utf8'))
