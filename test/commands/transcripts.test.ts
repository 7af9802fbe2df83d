import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import manifest from '../../oclif.manifest.json' with { type: 'json' }
import { eventTypes } from '../../src/contract/event-types.js'
import { textWidth } from '../../src/render/plain-text.js'
import { createCli, type Ended } from '../support/cli/program.js'
import { startMs, takeSteps } from '../support/cli/transcript-lane.js'
import { elsewhere, type Step, steps } from '../support/cli/transcript-steps.js'
import { startHttpServer, takeAll } from '../support/http-server.js'
import { serveSandbox } from '../support/sandbox/served-sandbox.js'

/** The file that a step's transcript is kept in. */
function nameOf({ name, words }: Step): string {
  return name ?? commandOf(words)?.replaceAll(':', '-') ?? words.join('-')
}

/** The id of the command that a line runs. */
function commandOf(words: readonly string[]): string | undefined {
  const ids = [3, 2, 1].map((count) => words.slice(0, count).join(':'))
  return ids.find((id) => Object.hasOwn(manifest.commands, id))
}

/** What differs from run to run: ports, folders, times, sizes of files, the machine, the echo of Ctrl-C. Widths stay. */
function masked(text: string, home: string): string {
  return text
    .replaceAll('^C', '')
    .replaceAll('\r\n', '\n')
    .replaceAll(home, '/home/person')
    .replace(/(127\.0\.0\.1|localhost):\d+/g, '$1:PORT')
    .replace(/(journal-)[\da-f]{20}/g, '$1ACCOUNT')
    .replace(/\bdlvk_sbx_acme_[\da-f]{12}\b/g, 'dlvk_sbx_acme_KEY-OF-ACME')
    .replace(/\bdlv_[\w-]{43}(?![\w-])/g, 'dlv_KEY')
    .replace(/dlv-cli\/\S+ \S+ node-v[\d.]+/g, 'USER-AGENT')
    .replace(/(\b204[ \t]) *\d+\b( *)/g, (_, before: string, gap: string) => `${before}N${gap === '' ? '' : '  '}`)
    .replace(/\bngrok http \d+/g, 'ngrok http PORT')
    .replace(/^(durationMs\t)\d+/gm, '$1N')
    .replace(/\b20\d\d-(?!03-0)\d\d-\d\d(?:T[\d:.]+Z| [\d:]{8})/g, 'REAL-TIME')
    .replace(/^(.*bytes\b.*[ \t]|before\tREAL-TIME\t)\d+(?=\s*$)/gm, '$1N')
    .replace(/clock is .*? (behind|ahead)/g, 'clock is SPAN $1')
    .replace(/checkedAt is .*? (behind|ahead)/g, 'checkedAt is SPAN $1')
    .replace(/\S+\/dlv-sandbox-\w{6}/g, '/tmp/dlv-sandbox')
    .replace(/\b\d+(?:\.\d+)? ms\b/g, 'N ms')
    .replace(/\b\d+(\.\d+)? ?kB\b/g, 'N kB')
    .replace(/Node \d+\.\d+\.\d+ on \S+ \S+/g, 'Node VERSION on MACHINE')
    .replace(/\breq_[0-9A-Z]{26}\b/g, 'req_ID')
    .replace(/whsec_[A-Za-z0-9+/=]{20,}/g, 'whsec_SECRET')
    .replace(/#token=[\w-]{32}/g, '#token=TOKEN')
    .replaceAll('\u001b', '␛')
    .replace(/(STATUS(?:␛\[\d+m)?) +((?:␛\[\d+m)?MS\b)/g, '$1  $2')
    .replace(/[ \t]+$/gm, '')
}

/** A transcript's text on the terminal, without colours. */
const uncoloured = (text: string) => text.replace(/␛\[[\d;]*m/g, '').replaceAll('\r\n', '\n')
const onOneLine = (text: string) => uncoloured(text).split(/\s+/).filter(Boolean).join(' ')

/** What a terminal of 80 columns has broken inside a word, or a command that it has spread over several lines. */
function brokenIn(screen: string, pipedSentences: string): string[] {
  const [lines, whole] = [uncoloured(screen).split('\n').map(onOneLine), onOneLine(screen)]
  return pipedSentences.split('\n').flatMap((text) => {
    const sentence = onOneLine(text)
    // What only a pipe is told, or what is longer there, is not on the screen.
    if (sentence === '' || !whole.includes(sentence.slice(0, 20))) return []
    const commands = sentence.match(/\bdlv (?:\S+ )*?\S+?(?=[.,;:!?)]*$|[.,;:!?)]+ )/g) ?? []
    const spread = commands.filter((command) => !lines.some((line) => line.includes(command)))
    return whole.includes(sentence) ? spread : [sentence, ...spread]
  })
}

const bare = (text: string) => text.toLowerCase().replace(/[._-]/g, '')
const spellings = new Map<string, string>(eventTypes.map((type) => [bare(type), type]))

/** Event types that are written in another way than the contract does. */
function misspeltIn(text: string): string[] {
  return (uncoloured(text).match(/[A-Za-z][\w.-]*\w/g) ?? []).filter((word) => {
    const type = spellings.get(bare(word))
    return type !== undefined && type !== word
  })
}

describe('transcripts', () => {
  let closeReceiver = () => {}
  afterAll(() => closeReceiver())

  it('are taken of every command', () => {
    const tried = new Set([...steps.map(({ words }) => commandOf(words)), ...Object.keys(elsewhere)])
    const all = Object.entries(manifest.commands as Record<string, { hidden?: boolean; aliases: string[] }>)
    const aliases = new Set(all.flatMap(([, { aliases }]) => aliases))
    expect(all.filter(([id, { hidden }]) => !hidden && !aliases.has(id) && !tried.has(id)).map(([id]) => id)).toEqual(
      [],
    )
  })

  const lanes = (['terminal', 'pipe'] as const).map((kind) => ({
    kind,
    // The length of a home's path decides where lines are broken.
    cli: createCli(afterAll, '/tmp'),
    sandbox: serveSandbox({
      seed: 7,
      clock: { now: () => startMs },
      publicUrl: 'https://sandbox.example.com',
      deliverWebhooks: false,
    }),
    taken: new Map<string, Ended>(),
  }))

  beforeAll(async () => {
    const receiver = await startHttpServer(takeAll, (end) => {
      closeReceiver = end
    })
    const receiverUrl = `${receiver}/`
    await Promise.all(
      lanes.map(async (lane) => {
        lane.taken = await takeSteps({ ...lane, receiverUrl }, steps, nameOf)
      }),
    )
  }, 180_000)

  it.each(steps.map((step) => ({ ...step, name: nameOf(step) })))('$name', async ({ name, words }) => {
    const [screen, piped] = lanes.map(({ taken, cli }) => {
      const ended = taken.get(name)
      if (ended === undefined) throw new Error(`${name} was not run`)
      return { ...ended, stdout: masked(ended.stdout, cli.home), stderr: masked(ended.stderr, cli.home) }
    })
    if (screen === undefined || piped === undefined) throw new Error('There are two lanes')
    const transcript = [
      `$ dlv ${words.join(' ')}`,
      `=== terminal of 80 columns, exit code ${screen.exitCode}`,
      screen.stdout,
      `=== pipe, exit code ${piped.exitCode}: stdout`,
      piped.stdout,
      '=== pipe: stderr',
      piped.stderr,
    ].join('\n')
    await expect(transcript).toMatchFileSnapshot(`./transcripts/${name}.txt`)
    expect(screen.exitCode).toBe(piped.exitCode)
    expect(piped.stdout + piped.stderr).not.toContain('␛')
    const wide = screen.stdout
      .split(/\r?\n/)
      .map((line) => line.replace(/␛\[\d+m/g, ''))
      .filter((line) => textWidth(line) > 80 && !/^(error|hint):|https?:|\/\w+\/|[{}]/.test(line))
    expect(wide).toEqual([])
    expect(brokenIn(screen.stdout, piped.stderr)).toEqual([])
    expect(misspeltIn(transcript)).toEqual([])
  })
})
