import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type Cli, createCli } from '../support/cli/program.js'

const aliasFile = (cli: Cli) => join(cli.home, '.config', 'dlv', 'aliases.json')

async function withAliases(aliases: Record<string, string>): Promise<Cli> {
  const cli = createCli()
  mkdirSync(join(cli.home, '.config', 'dlv'), { recursive: true })
  writeFileSync(aliasFile(cli), JSON.stringify(aliases))
  return cli
}

describe('An alias', () => {
  it('stands for a command with its flags; what follows is added or fills a placeholder', async () => {
    const cli = createCli()
    const set = await cli.run(['alias', 'set', 'codes', 'explain delivered'])
    expect(set).toMatchObject({ exitCode: 0, stdout: '', stderr: 'dlv codes stands for: dlv explain delivered\n' })
    const direct = await cli.run(['explain', 'delivered', '--json'])
    expect(await cli.run(['codes', '--json'])).toEqual(direct)
    expect(await cli.run(['--json', 'codes'])).toEqual(direct)
    await cli.run(['alias', 'set', 'why', 'explain "$1" -o $2'])
    expect((await cli.run(['why', 'delivered', 'json'])).stdout).toBe(direct.stdout)
    expect(await cli.run(['why', 'delivered'])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('The alias "why" needs 2 arguments, got 1.'),
    })
    await cli.run(['alias', 'set', 'twice', 'codes'])
    expect((await cli.run(['twice', '--json'])).stdout).toBe(direct.stdout)
    expect((await cli.run(['codes', '--help'])).stdout).toContain('$ dlv explain')
    expect((await cli.run(['help', 'codes'])).stdout).toContain('$ dlv explain')
    expect((await cli.run(['__complete', '--', 'wh'])).stdout).toContain('why\texplain')
    await cli.run(['alias', 'set', 's', 'sandbox'])
    expect((await cli.run(['s', 'magic', 'gate_closed', '--json'])).exitCode).toBe(0)
  })

  it('is listed, replaced with a word about it, and removed', async () => {
    const cli = createCli()
    await cli.run(['alias', 'set', 'up', 'health'])
    expect((await cli.run(['alias', 'set', 'up', 'capabilities'])).stderr).toContain('(was: dlv health)')
    expect(await cli.json(['alias', 'list'])).toEqual([{ name: 'up', expansion: 'capabilities' }])
    expect(statSync(aliasFile(cli)).mode & 0o777).toBe(0o600)
    expect((await cli.run(['alias', 'delete', 'up'])).exitCode).toBe(0)
    expect(await cli.run(['alias', 'remove', 'up'])).toMatchObject({ exitCode: 2 })
    expect(await cli.json(['alias', 'list'])).toEqual([])
    expect((await cli.run(['up'])).exitCode).toBe(127)
  })

  it.each([
    ['deliveries', 'health', '"deliveries" is a command of dlv'],
    ['report', 'health', '"report" is a command of dlv'],
    ['serviceability', 'health', '"serviceability" is a command of dlv'],
    ['help', 'health', '"help" is a command of dlv'],
    ['../evil', 'health', 'got "../evil"'],
    ['__proto__', 'health', 'got "__proto__"'],
    ['a b', 'health', 'got "a b"'],
    ['-x', 'health', ''],
    ['fine', '', 'must stand for something'],
    ['fine', 'helth', 'Did you mean "health"?'],
    ['fine', 'fine', 'leads to itself: fine → fine'],
    ['fine', 'explain "delivered', 'A quote is not closed'],
  ])('cannot be %j for %j', async (name, expansion, message) => {
    const { exitCode, stderr, stdout } = await createCli().run(['alias', 'set', name, expansion])
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' })
    expect(stderr).toContain(message)
  })

  it('cannot be part of a loop, set one by one or written into the file', async () => {
    const cli = createCli()
    await cli.run(['alias', 'set', 'one', 'health'])
    await cli.run(['alias', 'set', 'two', 'one'])
    expect((await cli.run(['alias', 'set', 'one', 'two'])).stderr).toContain('leads to itself: one → two → one')
    const edited = await withAliases({ one: 'two', two: 'three --json', three: 'one' })
    expect(await edited.run(['two'])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('leads to itself: two → three → one → two'),
    })
  })

  it('takes no command away, whatever is in the file, and a broken file breaks no command', async () => {
    const cli = await withAliases({
      explain: 'sandbox reset --yes',
      constructor: 'explain delivered',
      toString: 'health',
    })
    expect((await cli.run(['explain', 'delivered'])).stdout).toContain('delivered')
    expect((await cli.run(['constructor'])).stdout).toContain('delivered')
    writeFileSync(aliasFile(cli), '{"a":')
    expect((await cli.run(['explain', 'delivered'])).exitCode).toBe(0)
    expect(await cli.run(['nonsense'])).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('aliases.json') })
    expect((await createCli().run(['hasOwnProperty'])).exitCode).toBe(127)
  })

  it('can be a line for the shell, and ends as that does', async () => {
    const cli = createCli()
    await cli.run(['alias', 'set', '--shell', 'both', 'printf "%s\\n" "$@" "$#"; exit 7'])
    expect(JSON.parse(readFileSync(aliasFile(cli), 'utf8')).both).toMatch(/^!printf/)
    expect(await cli.runProcess(['both', 'a b', '$(id)', '--json'])).toMatchObject({
      exitCode: 7,
      stdout: 'a b\n$(id)\n--json\n3\n',
    })
  })
})
