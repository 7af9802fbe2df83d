import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type JsonServer, startJsonServer } from '../../support/cli/json-server.js'
import { createCli } from '../../support/cli/program.js'
import { startHttpServer } from '../../support/http-server.js'

const cli = createCli(afterAll)
let server: JsonServer

beforeAll(async () => {
  server = await startJsonServer((path) => (path.startsWith('/events') ? '{"events":[],"nextCursor":null}' : '{}'))
})
afterAll(() => server.close())

/** A standalone program has to start within it, too, and may do that on a busy machine. */
const limit = process.env.DLV_TEST_PROGRAM === undefined ? 1 : 10

const get = (expression: string, ...flags: string[]) => ['api', 'GET', '/values/1', '--jq', expression, ...flags]

/** Without a request that could take longer than the limit: only the expression counts. */
const offline = (expression: string) => ['explain', 'failed', '--jq', expression, '--timeout', '100ms']

/** Runs a program and prints its peak memory to standard error. */
const measured =
  'import resource,subprocess,sys;c=subprocess.run(sys.argv[1:]).returncode;' +
  'print("megabytes:",resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss//1024,file=sys.stderr);sys.exit(c)'

/** Runs a program, reads some of its output slowly, closes it and prints the peak memory to standard error. */
const readSlowly =
  'import os,resource,subprocess,sys,time\n' +
  'p=subprocess.Popen(sys.argv[2:],stdout=subprocess.PIPE)\n' +
  'for _ in range(int(sys.argv[1])): os.read(p.stdout.fileno(),65536); time.sleep(0.02)\n' +
  'p.stdout.close();p.wait()\n' +
  'print("megabytes:",resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss//1024,file=sys.stderr);sys.exit(p.returncode)'

describe('An expression that does not end', () => {
  const tooLong = (expression: string, seconds: number) =>
    `error: --jq "${expression}" did not finish within ${seconds} s. (JQ_TIMEOUT)\n` +
    'hint: Allow more time with --timeout, or simplify the expression. What the command did is not undone.\n'

  it.each([
    ['counts', 'last(range(1e12))'],
    ['calls itself', 'def f: f; f'],
    ['searches', '[range(1e6) | "\\(.)aaaaaaaaaaaaaaaaaaaaaaaaaaaa!" | test("^.*(a+)+$")?] | length'],
    ['prints', 'range(1e12)'],
  ])('is ended by --timeout where it %s', async (_, expression) => {
    const { exitCode, stderr } = await cli.run(offline(expression))
    expect([exitCode, stderr]).toEqual([8, tooLong(expression, 0.1)])
  })

  it('is ended by --timeout after an answer of the service', async () => {
    const words = get('last(range(1e12))', '--timeout', `${limit}s`)
    const { exitCode, stderr } = await cli.run(words, { env: server.env })
    expect([exitCode, stderr]).toEqual([8, tooLong('last(range(1e12))', limit)])
  })

  it('is the same to programs', async () => {
    const { exitCode, stderr } = await cli.run([...offline('last(range(1e12))'), '--json'])
    expect(exitCode).toBe(8)
    expect(JSON.parse(stderr).error).toMatchObject({ code: 'JQ_TIMEOUT', exitCode: 8 })
  })

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('is ended by %s', async (signal, exitCode) => {
    const running = cli.startProcess(get('"begun", last(range(1e12))'), { env: server.env })
    await running.line((line) => line === 'begun')
    expect(await running.kill(signal)).toMatchObject({ exitCode, signal: null, stderr: '' })
  })

  it('is ended by a signal where the command has more to do than to die', async () => {
    const words = ['sandbox', 'start', '--port', '0', '--data', ':memory:', '--jq', '"begun", last(range(1e12))']
    const running = cli.startProcess(words)
    await running.line((line) => line === 'begun')
    expect(await running.kill('SIGTERM')).toMatchObject({ exitCode: 143, signal: null })
  })

  it('ends quietly with its reader', async () => {
    const { stdout, exitCode } = await cli.shell(
      `set -o pipefail; dlv api GET /values/1 --jq 'range(1e12)' | head -2`,
      { env: server.env },
    )
    expect({ stdout, exitCode }).toEqual({ stdout: '0\n1\n', exitCode: 141 })
  })
})

describe('An expression without measure', () => {
  it.each([
    ['a list', '[range(1e9) | {a: .}] | length'],
    ['a text', 'last("x" | recurse(. + .)) | length'],
    ['calls', 'def f: 1 + f; f'],
    ['one allocation', '"x" * 1e9'],
  ])(
    'is refused more memory for %s, by name',
    async (_, expression) => {
      const { exitCode, stderr } = await cli.runProcess(get(expression), {
        env: server.env,
        through: ['python3', '-IS', '-c', measured],
      })
      expect(exitCode).toBe(2)
      expect(stderr).toContain(`error: --jq "${expression}" needs more than 384 MB of memory. (JQ_FAILED)\n`)
      expect(Number(/megabytes: (\d+)/.exec(stderr)?.[1])).toBeLessThan(512)
    },
    120_000,
  )

  it('prints in little memory what is long only as text', async () => {
    const { exitCode, stderr } = await cli.runProcess(get('reduce range(20) as $i ("twenty letters and 4"; [., .])'), {
      env: server.env,
      through: [
        'python3',
        '-IS',
        '-c',
        `${measured.replace('sys.argv[1:]', 'sys.argv[1:],stdout=subprocess.DEVNULL')}`,
      ],
    })
    expect(exitCode).toBe(0)
    expect(Number(/megabytes: (\d+)/.exec(stderr)?.[1])).toBeLessThan(200)
  })

  // Short texts take jq much longer than long ones: few of them could fill no memory in any time.
  it.each([
    ['range(1e12)', 20],
    ['"x" * 1e5 | repeat(.)', 100],
  ])(
    'prints %s no faster than it is read',
    async (expression, reads) => {
      const { exitCode, stderr } = await cli.runProcess(get(expression), {
        env: server.env,
        through: ['python3', '-IS', '-c', readSlowly, String(reads)],
      })
      expect(exitCode).toBe(141)
      expect(Number(/megabytes: (\d+)/.exec(stderr)?.[1])).toBeLessThan(200)
    },
    60_000,
  )

  it('may nest too deeply, which is said', async () => {
    const { exitCode, stderr } = await cli.run(get('reduce range(2e5) as $i (1; [.]) | length'), {
      env: server.env,
    })
    expect(exitCode).toBe(2)
    expect(stderr).toContain('failed: too deeply nested (Maximum call stack size exceeded).')
  })
})

describe('An expression of an advisory of jq', () => {
  it.each([
    ['an index that no array can have', '[] | .[2147483647] = 1 | length', /failed/],
    ['a text of gigabytes', '"x" * 3000000000 | length', /more than 384 MB/],
    [
      'objects that are nested very deep',
      'reduce range(100000) as $i ({}; {a: .}) | . * . | keys',
      /too deeply nested/,
    ],
    ['an internal function with another type', '1 | _strindices(0)', /failed/],
    ['a file to import', 'import "/etc/passwd" as $found; $found', /module not found/],
    ['a file with NUL in its path', 'include "/etc/hosts\\u0000x"; 1', /not a valid jq expression/],
  ])('ends with an error for %s, and harms nothing', async (_, expression, says) => {
    const { exitCode, stdout, stderr } = await cli.run(['explain', 'failed', '--jq', expression])
    expect([exitCode, stdout, stderr]).toEqual([2, '', expect.stringMatching(says)])
    expect(stderr).not.toMatch(/DEFECT|root:/)
    expect((await cli.run(['explain', 'failed', '--jq', '1 + 1'])).stdout).toBe('2\n')
  })

  it('gets no NaN of a service, which is no JSON', async () => {
    const odd = await startHttpServer((_, response) => {
      response.setHeader('content-type', 'application/json')
      response.end('{"deliveryId":"del_1","status":nan1234}')
    })
    const env = { DLV_BASE_URL: `${odd}/delivery/v1`, DLV_API_KEY: 'key-of-a-test' }
    const { exitCode, stdout } = await cli.run(['deliveries', 'get', 'del_1', '--jq', '.status'], { env })
    expect([exitCode === 0, stdout]).toEqual([false, ''])
    expect((await cli.run(['explain', 'failed', '--jq', '"nan1234" | fromjson'])).stdout).toBe('null\n')
  })
})
