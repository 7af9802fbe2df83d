import { afterAll, describe, expect, it } from 'vitest'
import { createCli } from '../../support/cli/program.js'

/** Words that the parser itself would print. */
const parserWords =
  /Parsing --|The following error|Nonexistent|Unexpected|See more help|required arg|Flag --|an integer|to be one of/

describe('a command line that cannot be read', () => {
  const cli = createCli(afterAll)

  it.each([
    [['drivers', 'get'], 'Missing argument: ID.', 'Usage: dlv drivers get ID [FLAGS]'],
    [
      ['drivers', 'get', 'a', 'b'],
      'Expected at most 1 argument, got 2: "a", "b".',
      'Usage: dlv drivers get ID [FLAGS]',
    ],
    [['health', 'a'], 'Expected no arguments, got "a".', 'Usage: dlv health [FLAGS]'],
    [
      ['deliveries', 'results', 'results.ndjson'],
      'Expected no arguments, got "results.ndjson".',
      'Did you mean dlv deliveries results --results results.ndjson?',
    ],
    [
      ['sandbox', 'start', '--port', '1', 'extra'],
      'Expected no arguments, got "extra".',
      'Usage: dlv sandbox start [FLAGS], with --host, --allow-host, --port, --data, --time-scale, --rate-limit and others',
    ],
    [
      ['report', '--from', '1d', '--journal', 'my journal.db'],
      '--journal takes no value here, got "my journal.db".',
      "Name it in DLV_JOURNAL: DLV_JOURNAL='my journal.db' dlv report --journal",
    ],
    [
      ['webhooks', 'test', 'http://127.0.0.1:9/hooks'],
      'Expected no arguments, got an address, which may hold a password.',
      'Did you mean --to URL?',
    ],
    [
      ['deliveries', 'create', '--dry-run', 'order.json'],
      'Expected no arguments, got "order.json".',
      'Did you mean dlv deliveries create --file order.json?',
    ],
    [
      ['webhooks', 'listen', '--file', 'key_1'],
      'Unknown flag: --file.',
      'dlv webhooks send, dlv webhooks sign and dlv webhooks verify have --file. See dlv webhooks listen --help.',
    ],
    [
      ['deliveries', 'list', '--forward-to', 'x'],
      'Unknown flag: --forward-to.',
      'dlv webhooks listen has --forward-to. See dlv deliveries list --help.',
    ],
    [['report', '--results', 'x'], 'Unknown flag: --results.', 'See dlv report --help.'],
    [['deliveries', 'get', '--id', 'del_1'], 'Unknown flag: --id.', 'Usage: dlv deliveries get [ID...] [FLAGS]'],
    [['deliveries', 'list', '--from'], '--from needs a value.', 'See dlv deliveries list --help.'],
    [
      ['sandbox', 'endpoints', 'add', 'http://127.0.0.1', '--kind'],
      '--kind needs a value: all, deliveries or drivers.',
      'See dlv sandbox endpoints add --help.',
    ],
    [
      ['sandbox', 'endpoints', 'add', 'http://127.0.0.1', '--kind', 'some'],
      '--kind: expected all, deliveries or drivers, got "some".',
      'See dlv sandbox endpoints add --help.',
    ],
    [['sandbox', 'clock', 'fly', '3'], 'Expected advance or set, got "fly".', 'See dlv sandbox clock --help.'],
    [['sandbox', 'seed', '--count', 'many'], '--count: expected a whole number, got "many".', undefined],
    [['sandbox', 'seed', '--count='], '--count: expected a whole number, got "".', undefined],
    [['sandbox', 'seed', '--count', '0'], '--count: expected 1 or more, got 0.', undefined],
    [['sandbox', 'seed', '--count', '9000000'], '--count: expected 1000000 or less, got 9000000.', undefined],
    [['deliveries', 'list', '--limit', '5', '--limit', '6'], '--limit may be given only once.', undefined],
    [['deliveries', 'list', '--limit', '5', '--all'], '--all and --limit cannot be used together.', undefined],
    [['webhooks', 'listen', '--count', '2'], '--count needs --expect.', undefined],
    [['sandbox', 'policy', 'FTBRAGG'], 'Missing flag: --set.', undefined],
    [['deliveries', 'list', '--json=yes'], '--json takes no value.', undefined],
    [['webhooks', 'log', '--from', '1d'], 'Unknown flag: --from.', 'Did you mean --since?'],
    [['deliveries', 'list', '--limt', '5'], 'Unknown flag: --limt.', 'Did you mean --limit?'],
  ])('%j says %s', async (words, message, hint) => {
    const { exitCode, stdout, stderr } = await cli.run([...words], { env: { FORCE_COLOR: '1', DLV_OUTPUT: 'json' } })
    expect(stdout).toBe('')
    expect(exitCode, stderr).toBe(2)
    const { error } = JSON.parse(stderr)
    expect(error.message).toBe(message)
    if (hint !== undefined) expect(error.hint).toBe(hint)
    expect(stderr).not.toMatch(parserWords)
  })
})

describe('a command that does not exist', () => {
  const cli = createCli(afterAll)

  it.each([
    ['delivery', 'deliveries'],
    ['order', 'deliveries create'],
    ['login', 'profiles add'],
    ['ls', 'deliveries list'],
    ['listen', 'webhooks listen'],
    ['webhook', 'webhooks'],
    ['quote', 'quotes'],
    ['delivries list', 'deliveries'],
    ['deliveries ls', 'deliveries list'],
    ['deliveries rm', 'deliveries cancel'],
    ['deliveries show', 'deliveries get'],
    ['profiles new', 'profiles add'],
  ])('%s is answered with "dlv %s"', async (typed, meant) => {
    const { exitCode, stderr } = await cli.run(typed.split(' '))
    expect(exitCode).toBe(127)
    expect(stderr).toContain(`Did you mean "dlv ${meant}"`)
  })

  it.each([
    ['xylophone', 'dlv --help lists all commands.'],
    ['quotes get', 'dlv quotes --help lists its commands.'],
  ])('%s, which is near none, is pointed to where they are listed', async (typed, hint) => {
    const { exitCode, stderr } = await cli.run(typed.split(' '))
    expect(exitCode).toBe(127)
    expect(stderr).toBe(`error: Unknown command "${typed}".\nhint: ${hint}\n`)
  })

  it('an endpoint that is not a URL is named before anything is sent', async () => {
    const { exitCode, stderr } = await cli.run(['sandbox', 'endpoints', 'add', 'nope'])
    expect(exitCode).toBe(2)
    expect(stderr).toContain('error: The endpoint must be a URL such as http://localhost:3000/hooks, got "nope".')
  })

  it.each([
    ['deliveries get', 'Expected delivery ids or order references, or --ref.'],
    ['quotes create', 'No order given. It needs --store and --to.'],
    ['webhooks verify', 'Expected --file and --header, or --request with the whole request.'],
    ['installations check', 'Expected an installation code, --to ADDRESS or --file FILE.'],
    ['sandbox clock advance', 'clock advance requires a value.'],
    ['sandbox driver drv_01', 'Expected --set PATH=VALUE or --remove.'],
    ['webhooks send --to http://localhost:9/', 'Expected an event type or --file.'],
    ['webhooks verify --request package.json', '--request is JSON, but not a HAR file with a request.'],
  ])('%s says what it expects, in a sentence, and what to do', async (typed, message) => {
    const { exitCode, stderr } = await cli.run(typed.split(' '))
    expect(exitCode).toBe(2)
    expect(stderr).toMatch(/error: .*\.\nhint: .+\n$/)
    expect(stderr).toContain(`error: ${message}\n`)
  })
})
