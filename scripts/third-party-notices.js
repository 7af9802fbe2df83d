import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { componentOfNotice, npmPurl, sbomOf } from './sbom.js'

/**
 * Bundler plugins for the licences of the bundled packages, which require that the notice is distributed with the code:
 * `collect` takes note of the packages that a bundle holds; `write`, which is for the last bundle, writes
 * `THIRD-PARTY-NOTICES.txt` and the bill of materials `sbom.cdx.json` for all of them. What is compiled into their WebAssembly has its notices in
 * `scripts/notices`.
 */
export function thirdPartyNotices() {
  const folders = new Set()
  const note = (bundle) => {
    for (const { modules = {} } of Object.values(bundle))
      for (const [id, { renderedLength }] of Object.entries(modules)) {
        const folder = renderedLength > 0 ? packageFolder(id) : undefined
        if (folder !== undefined) folders.add(folder)
      }
  }
  return {
    collect: () => ({ name: 'bundled-packages', generateBundle: (_, bundle) => note(bundle) }),
    write: () => ({
      name: 'third-party-notices',
      generateBundle(_, bundle) {
        note(bundle)
        const compiled = globSync('scripts/notices/*.txt').map((file) => readFileSync(file, 'utf8').trim())
        const notices = [...grouped([...folders].map(notice)), ...compiled].sort()
        this.emitFile({
          type: 'asset',
          fileName: 'THIRD-PARTY-NOTICES.txt',
          source: `${notices.join(`\n\n${'-'.repeat(78)}\n\n`)}\n`,
        })
        const components = [...[...folders].map(npmComponent), ...compiled.map(componentOfNotice)]
        this.emitFile({
          type: 'asset',
          fileName: 'sbom.cdx.json',
          source: sbomOf(JSON.parse(readFileSync('package.json', 'utf8')), components),
        })
      },
    }),
  }
}

/** The directory of the package that a module belongs to; `undefined` for our own modules. */
function packageFolder(moduleId) {
  return /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(moduleId.replace(/^\0/, ''))?.[0]
}

/** Packages whose licences have the same text share it. */
function grouped(notices) {
  const texts = new Map()
  for (const { name, text } of notices) texts.set(text, [...(texts.get(text) ?? []), name])
  return [...texts].map(([text, names]) => `${names.sort().join('\n')}\n\n${text}`)
}

function npmComponent(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  return { name, version, license, purl: npmPurl(name, version) }
}

function notice(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const file = existsSync(folder) ? readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry)) : undefined
  const text = file === undefined ? 'The package has no licence file.' : readFileSync(join(folder, file), 'utf8').trim()
  return { name: `${name} ${version} (${license ?? 'see below'})`, text }
}
