/**
 * A list of components in CycloneDX 1.6: what is bundled, for the tools that look for known vulnerabilities. The same
 * components give the same bytes.
 *
 * @param components each `{ name, version, license, purl }`; `version` and `purl` are left out if nobody knows them
 */
export function sbomOf({ name, version, license }, components) {
  const entry = (type, { name, version, license, purl, cpe }) => ({
    type,
    ...(purl === undefined ? {} : { 'bom-ref': purl }),
    name,
    ...(version === undefined ? {} : { version }),
    ...(license === undefined ? {} : { licenses: [licenseOf(license)] }),
    ...(cpe === undefined ? {} : { cpe }),
    ...(purl === undefined ? {} : { purl }),
  })
  const sorted = components.toSorted((a, b) => (`${a.name} ${a.version}` < `${b.name} ${b.version}` ? -1 : 1))
  const bom = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: entry('application', { name, version, license, purl: npmPurl(name, version) }) },
    components: sorted.map((component) => entry('library', component)),
  }
  return `${JSON.stringify(bom)}\n`
}

export function npmPurl(name, version) {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`
}

/** Who makes a component that is no npm package, and its name, as the National Vulnerability Database lists them. */
const cpeNames = {
  ada: 'ada-url:ada',
  ares: 'c-ares:c-ares',
  brotli: 'google:brotli',
  emscripten: 'emscripten:emscripten',
  jq: 'jqlang:jq',
  llhttp: 'llhttp:llhttp',
  musl: 'musl-libc:musl',
  nghttp2: 'nghttp2:nghttp2',
  node: 'nodejs:node.js',
  oniguruma: 'oniguruma_project:oniguruma',
  openssl: 'openssl:openssl',
  sqlite: 'sqlite:sqlite',
  uv: 'libuv:libuv',
  v8: 'google:v8',
  zlib: 'zlib:zlib',
  zstd: 'facebook:zstandard',
}

/** The name by which scanners find the advisories of a component; `undefined` if nobody lists it. */
export function cpeOf(name, version) {
  return Object.hasOwn(cpeNames, name) && version !== undefined
    ? `cpe:2.3:a:${cpeNames[name]}:${version}:*:*:*:*:*:*:*`
    : undefined
}

/** A component that is no npm package, from the first line of its notice: `jq 1.7.1 (MIT)`. */
export function componentOfNotice(text) {
  const [, name, version, license] = /^(.+?)(?: (\d\S*))? \((.+)\)$/m.exec(text.split('\n')[0]) ?? []
  const known = name !== undefined && version !== undefined && /^\w+$/.test(name)
  return {
    name: name ?? text.split('\n')[0],
    version,
    license,
    purl: known ? `pkg:generic/${name}@${version}` : undefined,
    cpe: cpeOf(name, version),
  }
}

function licenseOf(license) {
  return /^[A-Za-z0-9.-]+$/.test(license) ? { license: { id: license } } : { expression: license }
}
