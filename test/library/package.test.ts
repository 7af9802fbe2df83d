import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'

interface Packed {
  unpackedSize: number
  files: { path: string }[]
}

const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as {
  scripts: Record<string, string>
  dependencies: Record<string, string>
}

describe('The package that npm makes', () => {
  it('is small, and holds what its README leads to', async () => {
    const { stdout } = await promisify(execFile)('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'])
    const [{ unpackedSize, files }] = JSON.parse(stdout) as [Packed]
    expect(unpackedSize).toBeLessThanOrEqual(7_300_000)
    const paths = files.map(({ path }) => path)
    expect(paths).toContain('LICENSE')
    const links = readFileSync('README.md', 'utf8').matchAll(/(?:\]\(|src="|srcset=")([^)"]+)/g)
    const relative = [...links].map(([, to = '']) => to).filter((to) => !/^(?:https?:|#)/.test(to))
    expect(relative.length).toBeGreaterThan(20)
    const missing = relative
      .map((to) => posix.normalize(to.replace(/#.*$/, '')))
      .filter((to) => !paths.some((path) => path === to || path.startsWith(`${to}/`)))
    // In the repository, to which the registry's page leads, stay the pictures and what is for those who change dlv.
    const stays = /^(?:docs\/pictures\/|docs\/(?:architecture|dependencies)\.md|CONTRIBUTING\.md)/
    expect(missing.filter((path) => !stays.test(path))).toEqual([])
    expect(
      paths.filter((path) => /\.map$|^docs\/pictures\/(?!terminal\.svg)|^test\/|chunk-modules/.test(path)),
    ).toEqual([])
  })

  it('runs nothing when it is installed, and needs one package at most', () => {
    // npm 11 asks about `prepare` of a tarball too: `npm ci` in the repository builds by `preprepare` instead.
    const asked = ['preinstall', 'install', 'postinstall', 'prepare']
    expect(Object.keys(manifest.scripts).filter((name) => asked.includes(name))).toEqual([])
    expect(Object.keys(manifest.dependencies)).toEqual(['zod'])
  })
})
