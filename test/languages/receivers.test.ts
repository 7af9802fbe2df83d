import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { newSecret, sampleEvent, sendEvent, signatureHeaders, testReceiver } from '../../src/webhooks/index.js'
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
      python: ['if event.id in self.event_ids', 'if False'],
      go: ['defer s.Unlock()\n\tif s.eventIDs[e.EventID] {', 'defer s.Unlock()\n\tif false {'],
      ruby: ['if @event_ids.key?(event.id)', 'if false'],
      php: ["isset($this->eventIds[$event['eventId']])", 'false'],
      java: ['if (eventIds.contains(event.id))', 'if (false)'],
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

/** Code before a line of each receiver's `handle`: orders of one name fail, another order takes forever. */
const trouble: Record<Language, [before: string, code: string]> = {
  python: [
    '    print(event["eventType"]',
    `    order = event["delivery"]["clientOrderReference"]
    if order.startswith("FAIL"):
        raise RuntimeError("no printer")
    if order == "HANG":
        time.sleep(1000)
`,
  ],
  go: [
    '\t_, err := fmt.Println(e.EventType',
    `	switch order := e.Delivery.ClientOrderReference; {
	case strings.HasPrefix(order, "FAIL"):
		panic("no printer")
	case order == "HANG":
		time.Sleep(time.Hour)
	}
`,
  ],
  ruby: [
    "  puts \"#{event['eventType']}",
    `  order = event['delivery']['clientOrderReference']
  raise 'no printer' if order.start_with?('FAIL')
  sleep 1000 if order == 'HANG'
`,
  ],
  php: [
    "    error_log($event['eventType']",
    `    str_starts_with($event['delivery']['clientOrderReference'], 'FAIL') && throw new RuntimeException('no printer');
    $event['delivery']['clientOrderReference'] === 'HANG' && sleep(1000);
`,
  ],
  java: [
    '    System.out.println(event.get("eventType")',
    `    var order = (String) ((Map<?, ?>) event.get("delivery")).get("clientOrderReference");
    if (order.startsWith("FAIL")) throw new IllegalStateException("no printer");
    if (order.equals("HANG")) Thread.sleep(1_000_000);
`,
  ],
}

async function started(words: readonly string[], secrets: readonly string[], events = join(newFolder(), 'events')) {
  const receiver = await startReceiver(words, { secrets, events })
  let isStopped = false
  const stop = async (signal?: NodeJS.Signals) => {
    if (isStopped) return
    isStopped = true
    await receiver.stop(signal)
  }
  onTestFinished(() => stop())
  return { ...receiver, stop }
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

  it.runIf(installed.includes(language))('takes webhooks by POST only, and keeps nothing else', async () => {
    const secret = newSecret()
    const events = join(newFolder(), 'events')
    const { url } = await started(await receiverCommand(language), [secret], events)
    const body = Buffer.from(JSON.stringify(sampleEvent('delivery.accepted', { eventId: 'evt_put' })))
    const timestampSeconds = Math.floor(Date.now() / 1000)
    const headers = { ...signatureHeaders({ id: 'evt_put', timestampSeconds, body, secrets: secret }) }
    for (const method of ['PUT', 'DELETE', 'PATCH', 'GET', 'HEAD', 'OPTIONS']) {
      const hasBody = !['GET', 'HEAD'].includes(method)
      const response = await fetch(url, { method, headers, ...(hasBody ? { body } : {}) })
      await response.arrayBuffer()
      expect([method, response.status, response.headers.get('allow')]).toEqual([method, 405, 'POST'])
    }
    expect(existsSync(events) ? readFileSync(events, 'utf8') : '').not.toContain('evt_put')
    const sent = await sendEvent({ url, secrets: [secret], body: body.toString() })
    expect(sent).toMatchObject({ answered: true, status: 200 })
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
    const tiny = `${'1\r\nx\r\n'.repeat(500_000)}0\r\n\r\n`
    const withTrailer = '1\r\nx\r\n0\r\nX-Sum: 1\r\n\r\n'
    for (const chunks of [tiny, withTrailer]) {
      const socket = await stranger(url, `Transfer-Encoding: chunked\r\n\r\n${chunks}`)
      const answer = await new Promise((resolve) => socket.once('data', resolve).once('close', resolve))
      expect(String(answer)).toMatch(/^HTTP\/1\.[01] 40[01]/)
    }
    const sent = await sendEvent({ url, secrets: [secret], body: JSON.stringify(sampleEvent('delivery.accepted')) })
    expect(sent).toMatchObject({ answered: true, status: 200 })
  })

  it.runIf(installed.includes(language))(
    'handles once what it acknowledged, also after a crash, and takes events during a rotation',
    async () => {
      const [old, next] = [newSecret(), newSecret()]
      const events = join(newFolder(), 'events')
      const textOf = (reference: string, deliveryId: string, occurredAt?: string) => {
        const eventId = `evt_${reference}`
        const event = sampleEvent('delivery.accepted', { eventId, deliveryId, clientOrderReference: reference })
        return JSON.stringify(occurredAt === undefined ? event : { ...event, occurredAt }, null, 2)
      }
      const send = async (url: string, secrets: string[], body: string, id?: string) => {
        const sent = await sendEvent({ url, secrets, body, id })
        return sent.answered ? JSON.parse(sent.body.toString()).outcome : sent.message
      }
      const handled = ({ printed }: { printed(): string }) =>
        [...printed().matchAll(/delivery\.accepted (\S+)/g)].map(([, reference]) => reference)
      const left = textOf('LEFT', 'del_0').replaceAll('\n', ' ')
      const garbage = textOf('BAD', 'del_0', 'garbage').replaceAll('\n', ' ')
      writeFileSync(events, `${left}\n${garbage}\n${left.slice(0, 200)}`)

      const [from, to] = trouble[language]
      expect(receiverText(language)).toContain(from)
      const troubled = changedReceiver(language, (text) => text.replace(from, () => to + from))
      // PHP's server starts nothing: a run before it handles what is left.
      const before = language === 'php' ? ['sh', '-c', '"$1" "$4" && exec "$@"', 'sh'] : []
      const first = await started([...before, ...(await receiverCommand(language, troubled))], [old], events)
      expect(await send(first.url, [old], 'not JSON', 'evt_1')).toBe('ignored')
      expect(await send(first.url, [old], '{"eventId":"evt_2"}', 'evt_2')).toBe('ignored')
      expect(await send(first.url, [old], textOf('GARBAGE', 'del_1', 'garbage'))).toBe('ignored')
      expect(await send(first.url, [old], textOf('FAIL', 'del_1'))).toBe('processed')
      expect(await send(first.url, [old], textOf('FAIL-OLD', 'del_2', '2030-01-02T03:04:05Z'))).toBe('processed')
      expect(await send(first.url, [old], textOf('NEW', 'del_2', '2030-01-02T03:04:06Z'))).toBe('processed')
      await first.hasPrinted('delivery.accepted NEW')
      for (const said of [`${events}:2: skipped`, `${events}:3: skipped`, 'evt_1 is well signed but not an event'])
        expect(first.printed()).toContain(said)
      expect(first.printed()).toMatch(/evt_FAIL failed[\s\S]*no printer/)
      expect(await send(first.url, [old], textOf('HANG', 'del_3'))).toBe('processed')
      // PHP's own server, for development, takes one request at a time.
      const queued = language === 'php' ? [] : ['QUEUED']
      for (const one of queued) expect(await send(first.url, [old], textOf(one, 'del_3'))).toBe('processed')
      await first.stop('SIGKILL')
      expect(handled(first)).toEqual(['LEFT', 'NEW'])

      const words = await receiverCommand(language)
      const second = await started([...before, ...words], [old, next], events)
      await second.hasPrinted('delivery.accepted HANG')
      expect(await send(second.url, [old, next], textOf('FAIL', 'del_1'))).toBe('duplicate')
      expect(await send(second.url, [next], textOf('NEXT', 'del_1'))).toBe('processed')
      expect(await send(second.url, [old], textOf('HALF', 'del_1', '2030-01-02T03:04:05.5Z'))).toBe('processed')
      expect(await send(second.url, [old], textOf('EARLIER', 'del_1', '2030-01-02T03:04:05Z'))).toBe('outdated')
      await second.hasPrinted('delivery.accepted HALF')
      await second.stop()
      expect(handled(second)).toEqual(['FAIL', 'HANG', ...queued, 'NEXT', 'HALF'])

      const third = await started(words, [next], events)
      expect(await send(third.url, [next], textOf('LAST', 'del_4'))).toBe('processed')
      await third.hasPrinted('delivery.accepted LAST')
      expect(handled(third)).toEqual(['LAST'])
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
  return `${text}
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
