import { afterAll, describe, expect, it } from 'vitest'
import { createCli, fewAtATime } from '../support/cli/program.js'

/** Words that oclif's parser itself would print. */
const parserWords =
  /Parsing --|The following error|Nonexistent|Unexpected|See more help|required arg|Flag --|an integer|to be one of/

/** Lines that cannot be understood; the words of an array may have spaces. */
const lines: readonly (string | readonly string[])[] = [
  'drivers get',
  'drivers get a b',
  'health a',
  'deliveries results results.ndjson',
  'sandbox start --port 1 extra',
  ['drift', '--journal', 'my journal.db'],
  'webhooks test http://127.0.0.1:9/hooks',
  'deliveries create --dry-run order.json',
  'webhooks listen --file key_1',
  'deliveries list --forward-to x',
  'report --results x',
  'deliveries get --id del_1',
  'deliveries get --frobnicate',
  'deliveries list --from',
  'sandbox endpoints add http://127.0.0.1 --kind',
  'sandbox endpoints add http://127.0.0.1 --kind some',
  'sandbox clock fly 3',
  'completion tcsh',
  'sandbox seed --count many',
  'sandbox seed --count=',
  'sandbox seed --count 0',
  'sandbox seed --count 9000000',
  'deliveries list --limit 5 --limit 6',
  'deliveries list --limit 5 --all',
  'webhooks listen --count 2',
  'sandbox policy FTBRAGG',
  'deliveries list --json=yes',
  'webhooks log --from 1d',
  'deliveries list --limt 5',
  'delivery',
  'order',
  'login',
  'ls',
  'listen',
  'webhook',
  'webhook log',
  'delivery list',
  'webhook logs',
  'quote',
  'delivries list',
  'deliveries ls',
  'deliveries lst',
  'deliveries rm',
  'deliveries show',
  'profiles new',
  'xylophone',
  'quotes get',
  'sandbox endpoints add nope',
  'deliveries get',
  'quotes create',
  'webhooks verify',
  'installations check',
  'sandbox clock advance',
  'sandbox driver drv_01',
  'webhooks send --to http://localhost:9/',
  'webhooks verify --request package.json',
  'webhooks receiver typescript',
  'webhooks receiver node --client',
]

describe('A line that cannot be understood', () => {
  const cli = createCli(afterAll)

  it('ends with 2, or 127 without a command, with the same words for people and programs', async () => {
    const told = await fewAtATime(lines, async (line) => {
      const words = typeof line === 'string' ? line.split(' ') : line
      const [asText, asJson] = await Promise.all([
        cli.run(words),
        cli.run(words, { env: { FORCE_COLOR: '1', DLV_OUTPUT: 'json' } }),
      ])
      const typed = `dlv ${words.join(' ')}`
      expect([asText.stdout, asJson.stdout], typed).toEqual(['', ''])
      const { error } = JSON.parse(asJson.stderr)
      expect([2, 127], typed).toContain(error.exitCode)
      expect([asText.exitCode, asJson.exitCode], typed).toEqual([error.exitCode, error.exitCode])
      const hint = error.hint === null ? '' : `hint: ${error.hint}\n`
      expect(asText.stderr, typed).toBe(`error: ${error.message}\n${hint}`)
      expect(asText.stderr, typed).not.toMatch(parserWords)
      return `$ ${typed}   [${error.exitCode}]\n${asText.stderr}`
    })
    await expect(told.join('\n')).toMatchFileSnapshot('./transcripts/usage-errors.txt')
  })
})
