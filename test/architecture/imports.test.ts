import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize, relative } from 'node:path'
import { describe, expect, it } from 'vitest'

/** Which rooms and packages a room may import. Arrows point one way. */
const rooms: Record<string, { rooms: string[]; packages: string[] }> = {
  contract: { rooms: [], packages: ['zod'] },
  files: { rooms: [], packages: [] },
  webhooks: { rooms: ['contract', 'files'], packages: ['zod'] },
  client: { rooms: ['contract'], packages: ['undici', 'zod'] },
  sandbox: { rooms: ['contract', 'files', 'webhooks'], packages: ['hono', 'zod'] },
  listener: { rooms: ['contract', 'files', 'webhooks'], packages: [] },
  profiles: { rooms: ['contract', 'files'], packages: ['conf', 'zod'] },
  render: { rooms: ['contract'], packages: ['chalk', 'cli-table3'] },
  cli: {
    rooms: ['contract', 'files', 'webhooks', 'client', 'sandbox', 'listener', 'profiles', 'render'],
    packages: ['@oclif/core', 'chalk', 'zod'],
  },
  commands: {
    rooms: ['contract', 'files', 'webhooks', 'client', 'sandbox', 'listener', 'profiles', 'render', 'cli'],
    packages: ['@oclif/core'],
  },
}

/** Where SQL may be spoken. */
const sqlPlaces = [/^src\/sandbox\/store[./-]/, /^src\/sandbox\/store\//, /^src\/listener\/journal/]

interface Import {
  file: string
  target: string
}

function importsOf(file: string): Import[] {
  const text = readFileSync(file, 'utf8')
  const statement =
    /^(?:import|export)\b[\w\s{},*$]*?\bfrom\s*['"]([^'"]+)['"]|(?:^import|\bimport\()\s*['"]([^'"]+)['"]/gm
  return [...text.matchAll(statement)]
    .map(([, named, bare]) => named ?? bare ?? '')
    .map((target) => ({
      file,
      target: target.startsWith('.') ? normalize(join(dirname(file), target)) : target,
    }))
}

const roomOf = (path: string) => relative('src', path).split('/')[0] ?? ''

function isPermitted({ file, target }: Import): boolean {
  const room = rooms[roomOf(file)]
  if (room === undefined) return false
  if (target.startsWith('node:')) return target !== 'node:sqlite' || sqlPlaces.some((place) => place.test(file))
  if (['package.json', 'oclif.manifest.json'].includes(target)) return roomOf(file) === 'cli'
  if (target.startsWith('src/')) return roomOf(target) === roomOf(file) || room.rooms.includes(roomOf(target))
  return room.packages.some((name) => target === name || target.startsWith(`${name}/`))
}

const imports = globSync('src/**/*.ts').flatMap(importsOf)

describe('the rooms of the source', () => {
  it('import only what their rules allow', () => {
    const broken = imports.filter((found) => !isPermitted(found)).map(({ file, target }) => `${file} imports ${target}`)
    expect(broken).toEqual([])
  })

  it('are read by this test at all', () => {
    expect(imports.length).toBeGreaterThan(50)
    expect(isPermitted({ file: 'src/client/transport/transport.ts', target: 'src/sandbox/index.js' })).toBe(false)
    expect(isPermitted({ file: 'src/contract/errors.ts', target: 'undici' })).toBe(false)
    expect(isPermitted({ file: 'src/sandbox/core/pricing.ts', target: 'node:sqlite' })).toBe(false)
    expect(isPermitted({ file: 'src/render/card.ts', target: 'src/commands/tour.js' })).toBe(false)
  })

  it('leave the process and the terminal to the command line', () => {
    const outside = globSync('src/{contract,client,webhooks,sandbox,listener,render,profiles}/**/*.ts').filter((file) =>
      /\bprocess\.(?:argv|stdout|stderr|exit|exitCode|stdin)\b|\bconsole\./.test(readFileSync(file, 'utf8')),
    )
    expect(outside).toEqual([])
  })
})
