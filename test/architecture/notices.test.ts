import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const notices = readFileSync(join(process.cwd(), 'dist', 'program', 'THIRD-PARTY-NOTICES.txt'), 'utf8')

describe('THIRD-PARTY-NOTICES.txt', () => {
  it.each(['@oclif/core', 'jq-web', 'undici', 'zod'])('has the licence of %s', (name) => {
    const { version } = JSON.parse(readFileSync(join('node_modules', name, 'package.json'), 'utf8'))
    expect(notices).toContain(`\n${name} ${version} (`)
  })

  it('lists what is bundled, and nothing else', () => {
    const listed = [...notices.matchAll(/^((?:@[\w-]+\/)?[\w.-]+) \d\S* \(.+\)$/gm)].map(([, name = '']) => name)
    // These have no source map to be found in.
    const unmapped = ['jq-web', '@noble/hashes', 'preact', '@preact/signals', '@preact/signals-core']
    expect(listed.filter(isInstalled).sort()).toEqual(
      [...new Set([...packagesOfProgram(), ...packagesOfLibrary(), ...unmapped])].sort(),
    )
  })

  it.each([
    ['jq', 'Copyright (C) 2012 Stephen Dolan'],
    ["jq's conversion of numbers", 'The author of this software is David M. Gay.'],
    ['decNumber', 'Copyright (c) 1995-2005 International Business Machines Corporation'],
    ['oniguruma', 'Copyright (c) 2002-2021  K.Kosako'],
    ['emscripten', 'Copyright (c) 2010-2014 Emscripten authors'],
    ['musl', 'Copyright © 2005-2012 Rich Felker'],
  ])('has the licence of %s, which is compiled into jq.wasm', (_, line) => {
    expect(notices.toLowerCase()).toContain(line.toLowerCase())
  })
})

describe('sbom.cdx.json', () => {
  it('lists the same packages by name, version, licence and purl', () => {
    const bom = JSON.parse(readFileSync(join('dist', 'program', 'sbom.cdx.json'), 'utf8'))
    expect(bom).toMatchObject({
      bomFormat: 'CycloneDX',
      specVersion: '1.6',
      metadata: { component: { name: 'dlv-cli' } },
    })
    const listed = [...notices.matchAll(/^((?:@[\w-]+\/)?[\w.-]+) (\d\S*) \(.+\)$/gm)].map(([, name, version]) => [
      name,
      version,
    ])
    const components = bom.components as {
      name: string
      version?: string
      purl?: string
      cpe?: string
      licenses?: object[]
    }[]
    expect(components.map(({ name, version }) => [name, version])).toEqual(expect.arrayContaining(listed))
    const { version } = JSON.parse(readFileSync('node_modules/pg/package.json', 'utf8'))
    expect(components).toContainEqual(
      expect.objectContaining({ name: 'pg', purl: `pkg:npm/pg@${version}`, licenses: [{ license: { id: 'MIT' } }] }),
    )
    expect(components.find(({ name }) => name === '@oclif/core')?.purl).toMatch(/^pkg:npm\/%40oclif\/core@\d/)
    const cpes = components.flatMap(({ cpe }) => cpe ?? [])
    for (const found of ['jqlang:jq:1', 'oniguruma_project:oniguruma:6', 'musl-libc:musl:1', 'emscripten:emscripten:4'])
      expect(cpes).toContainEqual(expect.stringMatching(`^cpe:2\\.3:a:${found}[.\\d]*(?::\\*){7}$`))
  })
})

const isInstalled = (name: string) => existsSync(join('node_modules', name, 'package.json'))

function packagesOfProgram(): string[] {
  const chunks: Record<string, string[]> = JSON.parse(readFileSync('dist/program/chunk-modules.json', 'utf8'))
  return Object.values(chunks).flat().filter(isInstalled)
}

function packagesOfLibrary(): string[] {
  return globSync(['dist/*.map', 'dist/{chunks,fetch}/*.map']).flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/node_modules\/((?:@[^/"]+\/)?[^/"]+)\//g)].map(([, name = '']) => name),
  )
}
