import { closeSync, fdatasyncSync, openSync, readdirSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder } from '../../shared/directory.js'
import { tryParseJson } from '../../shared/json.js'

/** What is kept of an order before it is first sent: enough to know it again, nothing of a person. */
export interface SentOrder {
  at: string
  profile: string
  clientOrderReference: string | null
  idempotencyKey: string
  /** SHA-256 of its canonical body. */
  bodyHash: string
}

/** A file a month; references are looked up for as long as this many are kept in mind. */
const months = 24

/**
 * Keeps an order's key and body hash on the disk before it is sent, in `<dataDir>/orders`. Answers with what was kept
 * when the same key and body were first sent; `undefined` where that is now.
 *
 * @throws what the file system refuses
 */
export function keepSentOrder(dataDir: string, order: SentOrder): SentOrder | undefined {
  const folder = join(dataDir, 'orders')
  makeFolder(folder)
  const known = findSentOrder(folder, order)
  if (known !== undefined) return known
  const file = openSync(join(folder, `${order.at.slice(0, 7)}.ndjson`), 'a', 0o600)
  try {
    // The line feed in front ends a line that a crash may have cut short.
    writeSync(file, `\n${JSON.stringify(order)}\n`)
    fdatasyncSync(file)
  } finally {
    closeSync(file)
  }
  return undefined
}

/** The earliest record counts: the service remembers a key from its first use. */
function findSentOrder(folder: string, order: SentOrder): SentOrder | undefined {
  const files = readdirSync(folder).filter((name) => /^\d{4}-\d{2}\.ndjson$/.test(name))
  const mark = JSON.stringify({ idempotencyKey: order.idempotencyKey, bodyHash: order.bodyHash }).slice(1, -1)
  for (const name of files.sort().slice(-months)) {
    const text = readFileSync(join(folder, name), 'utf8')
    for (let at = text.indexOf(mark); at >= 0; at = text.indexOf(mark, at + 1)) {
      const found = parseLine(text.slice(text.lastIndexOf('\n', at) + 1, text.indexOf('\n', at)))
      if (found?.profile === order.profile) return found
    }
  }
  return undefined
}

function parseLine(line: string): SentOrder | undefined {
  // A line that a crash cut short is as good as not written.
  return tryParseJson(line)?.value as SentOrder | undefined
}
