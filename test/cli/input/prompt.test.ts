import { describe, expect, it } from 'vitest'
import { createCli } from '../../support/cli/program.js'

const ctrlC = '\u0003'
const ctrlD = '\u0004'

/** On a production profile, which asks before a write. */
function onProduction() {
  const cli = createCli()
  return { cli, env: { DLV_BASE_URL: 'http://127.0.0.1:9/v1', DLV_API_KEY: 'key', DLV_ENVIRONMENT: 'production' } }
}

describe('a prompt', () => {
  it.each([
    ['a question', ['deliveries', 'cancel', 'del_1'], '[y/N]'],
    [
      'a hidden answer',
      ['profiles', 'add', 'acme', '--environment', 'sandbox', '--base-url', 'https://a.example'],
      'API key',
    ],
    ['a question of a bulk run', ['deliveries', 'cancel', '--file', 'package.json'], '[y/N]'],
  ])('ends with 130 at Ctrl-C and says nothing: %s', async (_name, words, asked) => {
    const { cli, env } = onProduction()
    const person = cli.startOnTerminal(words, { env: words[0] === 'profiles' ? {} : env })
    await person.shows(asked)
    person.type(ctrlC)
    const { exitCode, stdout } = await person.ended
    expect(exitCode).toBe(130)
    expect(stdout).not.toMatch(/error|bug|Abort/)
  })

  it('breaks a long question between words', async () => {
    const { cli, env } = onProduction()
    const order = ['deliveries', 'create', '--file', 'examples/order.json', '--ref', 'ORDER-FOR-A-LONG-QUESTION']
    const person = cli.startOnTerminal(order, { env })
    await person.shows('[y/N]')
    person.type('n\r')
    const { stdout } = await person.ended
    const lines = stdout.replace(/\u001b\[[\d;]*[A-Za-z]/g, '').split(/\r?\n/)
    const question = lines.slice(lines.findIndex((line) => line.startsWith('Dispatch')))
    expect(question.filter((line) => line.length > 80)).toEqual([])
    expect(question.slice(0, 3).join(' ')).toMatch(/^Dispatch ORDER-FOR-A-LONG-QUESTION \(.*\[y\/N\]/)
  })

  it('takes the end of the input for a no', async () => {
    const { cli, env } = onProduction()
    const person = cli.startOnTerminal(['deliveries', 'cancel', 'del_1'], { env })
    await person.shows('[y/N]')
    person.type(ctrlD)
    const { stdout, exitCode } = await person.ended
    expect(stdout).toContain('Nothing was sent.')
    expect(exitCode).toBe(9)
  })

  it('names its flag if the input ends without an answer', async () => {
    const { cli } = onProduction()
    const words = ['profiles', 'add', 'acme', '--environment', 'sandbox', '--base-url', 'https://a.example']
    const person = cli.startOnTerminal(words)
    await person.shows('API key')
    person.type(ctrlD)
    const { exitCode, stdout } = await person.ended
    expect(exitCode).toBe(2)
    expect(stdout).toContain('Use --api-key-stdin or --api-key-file.')
  })

  it('is refused without a terminal, with the question and the flag that answers it', async () => {
    const { cli, env } = onProduction()
    const { exitCode, stderr } = await cli.run(['deliveries', 'cancel', 'del_1'], { env })
    expect(exitCode).toBe(2)
    expect(stderr).toMatch(/^error: Cannot prompt without a terminal: Cancel del_1 .*\nhint: Use --yes\.$/m)
  })
})
