import { startListener } from 'dlv-cli/listener'

/** The built listener in a process of its own, to be killed: journal, secret and target come as arguments. */
const [journalFile = '', secret = '', target = ''] = process.argv.slice(2)
const listener = await startListener({
  journal: journalFile,
  secrets: [{ name: 'test', secret }],
  forward: { routes: [{ url: target }], concurrency: 8, retryDelaysMs: Array.from({ length: 100 }, () => 20) },
  onRecord(record) {
    if (record.type === 'forwarded' && record.delivered) process.stdout.write(`delivered ${record.eventId}\n`)
  },
})
process.stdout.write(`ready ${listener.url}\n`)
