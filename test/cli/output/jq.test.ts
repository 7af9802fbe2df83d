import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { brotliDecompressSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type JqCase, jqCases } from '../../support/cli/jq-expressions.js'
import { type JsonServer, startJsonServer } from '../../support/cli/json-server.js'
import { createCli, type Ended, fewAtATime } from '../../support/cli/program.js'

const cli = createCli(afterAll)
let server: JsonServer
/** Kept for the whole file: V8 compiles the same bytes once while somebody has them, and each run is a thread. */
const compiled: WebAssembly.Module[] = []
/** What `GET /values/N` answers with. */
const inputs: string[] = []

beforeAll(async () => {
  compiled.push(new WebAssembly.Module(brotliDecompressSync(readFileSync('dist/program/jq.wasm.br'))))
  server = await startJsonServer((path) => inputs[Number(path.replace('/values/', ''))] ?? '{}')
})
afterAll(() => server.close())

function run(expression: string, input: string, flags: readonly string[] = []): Promise<Ended> {
  const path = `/values/${inputs.push(input) - 1}`
  return cli.run(['api', 'GET', path, '--jq', expression, ...flags], { env: server.env })
}

/** The version of the native program, where one is installed. */
function nativeVersion(): string {
  const { stdout } = spawnSync('jq', ['--version'], { encoding: 'utf8' })
  return stdout ?? ''
}

/** An expression that reads on, ends the run or tells its place. The others share runs, because each run is a thread. */
const needsOwnRun = /\binputs?\b|\bhalt\b|\$__loc__|#/
/** Printed after each expression of a shared run. */
const over = '=== over ==='

describe('--jq', () => {
  const printed = new Map<JqCase, Ended>()
  beforeAll(async () => {
    const own = jqCases.filter(([expression]) => needsOwnRun.test(expression))
    const shared = jqCases.filter((jqCase) => !own.includes(jqCase))
    await fewAtATime(own, async (jqCase) => {
      const [expression, input] = jqCase
      printed.set(jqCase, await run(expression, input))
    })
    const groups = Array.from({ length: Math.ceil(shared.length / 60) }, (_, at) => shared.slice(60 * at, 60 * at + 60))
    await fewAtATime(groups, async (cases) => {
      const ended = await run(
        cases.map(([expression], at) => `(.[${at}] | ${expression}), "${over}"`).join(', '),
        `[${cases.map(([, input]) => input).join(',')}]`,
      )
      const parts = ended.stdout.split(`${over}\n`)
      for (const [at, jqCase] of cases.entries()) printed.set(jqCase, { ...ended, stdout: parts[at] ?? '' })
    })
  })

  it.each(jqCases.map((jqCase) => [jqCase[0], jqCase] as const))('prints what jq prints for %s', (_, jqCase) => {
    const [, , ...lines] = jqCase
    expect(printed.get(jqCase)).toEqual({
      exitCode: 0,
      signal: null,
      stdout: lines.map((line) => `${line}\n`).join(''),
      stderr: '',
    })
  })

  it.runIf(nativeVersion().startsWith('jq-1.7'))('has its expectations from the native jq 1.7', () => {
    for (const [expression, input, ...lines] of jqCases)
      expect(execFileSync('jq', ['-rc', '--', expression], { input, encoding: 'utf8' }), expression).toBe(
        lines.map((line) => `${line}\n`).join(''),
      )
  })

  it.each([
    ['.[', 'syntax error, unexpected end of file (Unix shell quoting issues?).'],
    ['.a |', 'syntax error, unexpected end of file (Unix shell quoting issues?).'],
    ['select(', 'syntax error, unexpected end of file (Unix shell quoting issues?).'],
    ['foo', 'foo/0 is not defined.\nhint: A field has a dot in front: .foo\n'],
    ['{a', "syntax error, unexpected end of file, expecting '}' (Unix shell quoting issues?)."],
    ['"unclosed', 'syntax error, unexpected end of file, expecting QQSTRING_TEXT'],
    ['if . then 1', 'syntax error, unexpected end of file (Unix shell quoting issues?); Possibly'],
    ['.a b', 'syntax error, unexpected IDENT, expecting end of file'],
    ['. |\nfoo | bar(1)', 'foo/0 is not defined in line 2; bar/1 is not defined in line 2.'],
    ['import "a" as a; .', 'module not found: a'],
  ])('refuses %s in the words of jq, before anything is sent', async (expression, words) => {
    const before = server.asked.length
    const { exitCode, stdout, stderr } = await run(expression, '{}')
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' })
    expect(stderr).toContain(`--jq "${expression}" is not a valid jq expression: ${words}`)
    expect(server.asked.length).toBe(before)
  })

  it.each([
    ['.a.b', '{"a":"text"}', 'failed: Cannot index string with string "b".', ''],
    ['.[]', '5', 'failed: Cannot iterate over number (5).', ''],
    ['1, error("no")', 'null', 'failed: no.', '1\n'],
    ['error({code: 7})', 'null', 'failed: {"code":7}.', ''],
    ['error(null)', 'null', 'failed: null.', ''],
    ['input', 'null', 'failed: break.', ''],
    ['"gone" | halt_error', 'null', 'halted: gone.', ''],
    ['{} | halt_error(3)', 'null', 'halted: {}.', ''],
    ['(range(4999) | debug | empty), error("late")', 'null', 'failed: late.', ''],
    ['"" | halt_error', 'null', 'halted with exit code 5.', ''],
  ])('ends with 2 for %s of %s, after what it has printed', async (expression, input, words, stdout) => {
    const ended = await run(expression, input)
    expect(ended).toMatchObject({ exitCode: 2, stdout })
    expect(ended.stderr).toContain(`error: --jq "${expression}" ${words} (JQ_FAILED)\n`)
  })

  it('tells how the times of the service become seconds', async () => {
    const time = '"2026-11-28T17:20:07.927Z"'
    const { stderr } = await run('fromdate', time)
    const [, remedy = ''] = /^hint: Leave the milliseconds out: (.+)\. What/m.exec(stderr) ?? []
    expect(await run(remedy, time)).toMatchObject({ exitCode: 0, stdout: '1795886407\n' })
  })

  it('says the same to programs', async () => {
    const { exitCode, stderr } = await run('.a', '[]', ['--json'])
    expect(exitCode).toBe(2)
    expect(JSON.parse(stderr).error).toMatchObject({
      code: 'JQ_FAILED',
      message: '--jq ".a" failed: Cannot index array with string "a".',
      exitCode: 2,
    })
  })

  it('sees no variable of the environment', async () => {
    const env = { ...server.env, OTHER_SECRET: 'hunter2' }
    const words = ['api', 'GET', '/values', '--jq', 'env, $ENV, env.OTHER_SECRET, env.DLV_API_KEY']
    const { stdout, stderr } = await cli.runProcess(words, { env })
    expect({ stdout, stderr }).toEqual({ stdout: '{}\n{}\nnull\nnull\n', stderr: '' })
  })

  it('prints debugging on stderr', async () => {
    expect(await run('debug | .a', '{"a":1}')).toMatchObject({
      exitCode: 0,
      stdout: '1\n',
      stderr: '["DEBUG:",{"a":1}]\n',
    })
  })

  it('never reaches the prototype of an object', async () => {
    expect((await run('.constructor, .["__proto__"]', '{"a":1}')).stdout).toBe('null\nnull\n')
  })

  it('gives a pipe every character of a string, and a terminal none that steers it', async () => {
    const text = 'a\u0000\tb\n\u001b[2J\u200d\u202ec'
    const input = JSON.stringify(text)
    expect((await run('.', input)).stdout).toBe(`${text}\n`)
    const words = ['api', 'GET', `/values/${inputs.push(input) - 1}`, '--jq', '., [.]']
    const { stdout } = await cli.runOnTerminal(words, { env: server.env })
    expect(stdout.replaceAll('\r\n', '\n')).toBe('a\tb\nc\n["a\\u0000\\tb\\n\\u001b[2J\u200d\\u202ec"]\n')
  })

  it('takes values as deep, and expressions as long, as jq does', async () => {
    expect((await run('reduce range(250) as $_ (1; [.]) | tojson | length', 'null')).stdout).toBe('501\n')
    expect((await run(`${' '.repeat(100_000)}1`, 'null')).stdout).toBe('1\n')
  })
})
