import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { newSecret, sampleEvent, sendEvent, testReceiver } from '../../src/webhooks/index.js'
import {
  changedReceiver,
  installed,
  type Language,
  languages,
  newFolder,
  receiverCommand,
  receiverText,
  startReceiver,
} from '../support/languages/languages.js'

/** One line of each receiver, broken as people break it, and the rule that the examination names. */
const mistakes: Record<string, { rule: string; lines: Record<Language, [from: string, to: string]> }> = {
  'a body that was parsed': {
    rule: 'raw_body',
    lines: {
      python: [
        '.encode() + body',
        '.encode() + json.dumps(json.loads(body), separators=(",", ":"), ensure_ascii=False).encode()',
      ],
      go: ['"."), body...)', '"."), compacted(body)...)'],
      ruby: ['".b + body)]', '".b + JSON.generate(JSON.parse(body)).b)]'],
      php: [
        '$id.$timestamp.$body"',
        '$id.$timestamp." . json_encode(json_decode($body), JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE)',
      ],
      java: ['mac.doFinal(body)', 'mac.doFinal(new String(body, UTF_8).trim().getBytes(UTF_8))'],
    },
  },
  'only the first signature': {
    rule: 'rotation',
    lines: {
      python: ['.encode().split(b" ")', '.encode().split(b" ")[:1]'],
      go: ['strings.Fields(header.Get("webhook-signature"))', 'strings.Fields(header.Get("webhook-signature"))[:1]'],
      ruby: ['.to_s.split.any?', '.to_s.split.first(1).any?'],
      php: [
        "explode(' ', $_SERVER['HTTP_WEBHOOK_SIGNATURE'] ?? '')",
        "[explode(' ', $_SERVER['HTTP_WEBHOOK_SIGNATURE'] ?? '')[0]]",
      ],
      java: ['signatures.split(" "))', 'signatures.split(" ", 2)[0].split(" "))'],
    },
  },
  'no tolerance': {
    rule: 'tolerance',
    lines: {
      python: ['TOLERANCE_SECONDS = 300', 'TOLERANCE_SECONDS = 10**9'],
      go: ['5 * time.Minute', '500000 * time.Hour'],
      ruby: ['TOLERANCE_SECONDS = 300', 'TOLERANCE_SECONDS = 10**9'],
      php: ['TOLERANCE_SECONDS = 300', 'TOLERANCE_SECONDS = 1000000000'],
      java: ['TOLERANCE_SECONDS = 300', 'TOLERANCE_SECONDS = 1000000000'],
    },
  },
  'no deduplication': {
    rule: 'dedupe',
    lines: {
      python: ['if event["eventId"] in self.event_ids', 'if False'],
      go: ['if s.eventIDs[e.EventID] {', 'if false {'],
      ruby: ["if @event_ids.key?(event['eventId'])", 'if false'],
      php: ["if ($id === $event['eventId'])", 'if (false)'],
      java: ['if (eventIds.contains(eventId))', 'if (false)'],
    },
  },
  'a comparison that takes the beginning for the whole': {
    rule: 'signature',
    lines: {
      python: ['hmac.compare_digest(one, good)', 'good.startswith(one)'],
      go: ['hmac.Equal([]byte(given), good)', 'strings.HasPrefix(string(good), given)'],
      ruby: ['OpenSSL.secure_compare(given, one)', 'one.start_with?(given)'],
      php: ['hash_equals($good, $given)', 'str_starts_with($good, $given)'],
      java: ['MessageDigest.isEqual(given.getBytes(UTF_8), good)', 'new String(good, UTF_8).startsWith(given)'],
    },
  },
}

async function started(words: readonly string[], secrets: readonly string[], events = join(newFolder(), 'events')) {
  const receiver = await startReceiver(words, { secrets, events })
  let isStopped = false
  const stop = async () => {
    if (isStopped) return
    isStopped = true
    await receiver.stop()
  }
  onTestFinished(stop)
  return { url: receiver.url, stop, events }
}

/** Begins a request without a signature on a connection of its own, which the test ends. */
async function stranger(url: string, rest: string): Promise<Socket> {
  const { hostname, port, pathname } = new URL(url)
  const socket = connect(Number(port), hostname)
  onTestFinished(() => void socket.destroy())
  socket.on('error', () => {})
  await once(socket, 'connect')
  socket.write(`POST ${pathname} HTTP/1.1\r\nHost: ${hostname}\r\n${rest}`)
  return socket
}

describe.each(languages)('the receiver in %s', (language) => {
  it.runIf(installed.includes(language))('passes every case of the examination', async () => {
    const secret = newSecret()
    const { url } = await started(await receiverCommand(language), [secret])
    const report = await testReceiver({ url, secret, timeScale: 1_000_000 })
    expect(report.cases.filter(({ status }) => status !== 'passed')).toEqual([])
  })

  it.runIf(installed.includes(language))('is neither filled nor held up by strangers', async () => {
    const secret = newSecret()
    const { url } = await started(await receiverCommand(language), [secret])
    // PHP's own server, for development, takes one request at a time.
    const slow = language === 'php' ? [] : Array.from({ length: 40 }, () => 'Content-Length: 1000\r\n\r\nx')
    await Promise.all(slow.map((text) => stranger(url, text)))
    for (const text of ['Content-Length: -1\r\n\r\n', 'Transfer-Encoding: chunked\r\n\r\n-5\r\n']) {
      const socket = await stranger(url, text)
      const ended = new Promise((resolve) => socket.once('close', resolve))
      const fill = () => {
        while (!socket.destroyed && socket.bytesWritten < 50_000_000) if (!socket.write(Buffer.alloc(65_536))) return
      }
      socket.on('drain', fill).resume()
      fill()
      await ended
      expect(socket.bytesWritten).toBeLessThan(50_000_000)
    }
    const tiny = await stranger(url, `Transfer-Encoding: chunked\r\n\r\n${'1\r\nx\r\n'.repeat(500_000)}0\r\n\r\n`)
    expect(String((await once(tiny, 'data'))[0])).toMatch(/^HTTP\/1\.[01] 40[01]/)
    const sent = await sendEvent({ url, secrets: [secret], body: JSON.stringify(sampleEvent('delivery.accepted')) })
    expect(sent).toMatchObject({ answered: true, status: 200 })
  })

  it.runIf(installed.includes(language))(
    'takes events during a rotation, in their order, and none twice after a restart',
    async () => {
      const [old, next] = [newSecret(), newSecret()]
      const first = await started(await receiverCommand(language), [old])
      const outcomeOf = async (url: string, secrets: string[], eventId: string, occurredAt?: string) => {
        const event = sampleEvent('delivery.accepted', { eventId, deliveryId: 'del_1' })
        const body = JSON.stringify(occurredAt === undefined ? event : { ...event, occurredAt })
        const sent = await sendEvent({ url, secrets, body })
        return sent.answered ? JSON.parse(sent.body.toString()).outcome : sent.message
      }
      expect(await outcomeOf(first.url, [old, next], 'evt_1')).toBe('processed')
      await first.stop()
      const second = await started(await receiverCommand(language), [old, next], first.events)
      expect(await outcomeOf(second.url, [old, next], 'evt_1')).toBe('duplicate')
      expect(await outcomeOf(second.url, [next], 'evt_2')).toBe('processed')
      expect(await outcomeOf(second.url, [old], 'evt_3')).toBe('processed')
      expect(await outcomeOf(second.url, [old], 'evt_4', '2030-01-02T03:04:05.5Z')).toBe('processed')
      expect(await outcomeOf(second.url, [old], 'evt_5', '2030-01-02T03:04:05Z')).toBe('outdated')
    },
  )

  it.runIf(installed.includes(language) && process.env.DLV_LANGUAGES !== undefined).each(Object.keys(mistakes))(
    'is called broken by %s',
    async (name) => {
      const { rule, lines } = mistakes[name] ?? { rule: '', lines: {} as never }
      const [from, to] = lines[language]
      expect(receiverText(language)).toContain(from)
      const file = changedReceiver(language, (text) =>
        withHelper(
          language,
          text.replace(from, () => to),
        ),
      )
      const secret = newSecret()
      const { url } = await started(await receiverCommand(language, file), [secret])
      const report = await testReceiver({ url, secret })
      expect(report.brokenRules.map((broken) => broken.rule)).toContain(rule)
    },
  )
})

/** The function that one of Go's mistakes calls. */
function withHelper(language: Language, text: string): string {
  if (language !== 'go' || !text.includes('compacted(')) return text
  return `${text.replace('import (', 'import (\n\t"bytes"')}
func compacted(body []byte) []byte {
	var out bytes.Buffer
	_ = json.Compact(&out, body)
	return out.Bytes()
}
`
}

it('the guide shows the verification of each receiver as it is', () => {
  const guide = readFileSync('docs/guides/languages.md', 'utf8')
  for (const language of languages) {
    const [, shown = ''] = new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(guide) ?? []
    expect(shown).toMatch(/hmac/i)
    expect(receiverText(language)).toContain(shown)
  }
})
