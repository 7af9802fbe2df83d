import { readFileSync } from 'node:fs'
import { brotliCompressSync } from 'node:zlib'

const folder = 'node_modules/jq-web'
/** The memory limit of an expression, in pages of 64 KB: 384 MB. */
const mostPages = 6_144

const sections = { custom: 0, memory: 5 }

/**
 * A bundler plugin: makes jq-web export the function that starts jq, instead of starting it at import, and writes
 * `jq.wasm.br`: jq without debug information, with a memory limit, compressed to a quarter.
 */
export function jqWeb() {
  return {
    name: 'jq-web',
    transform: {
      filter: { id: /[\\/]node_modules[\\/]jq-web[\\/]jq\.js$/ },
      handler(code) {
        const end = code.indexOf('\njq = jq().then(')
        if (end === -1) throw new Error('jq-web starts jq in another way than this plugin knows.')
        return { code: code.slice(0, end), map: null }
      },
    },
    generateBundle() {
      const source = brotliCompressSync(trimmed(readFileSync(`${folder}/jq.wasm`)))
      this.emitFile({ type: 'asset', fileName: 'jq.wasm.br', source })
    },
  }
}

function trimmed(wasm) {
  const kept = [wasm.subarray(0, 8)]
  let limits = 0
  for (const { id, whole, body } of sectionsOf(wasm)) {
    if (id === sections.custom) continue
    if (id !== sections.memory) kept.push(whole)
    else {
      kept.push(withLimit(body))
      limits++
    }
  }
  if (limits !== 1) throw new Error('jq.wasm has no memory of its own.')
  return Buffer.concat(kept)
}

/** The memory section with our limit. */
function withLimit(body) {
  const [count, hasMost] = body
  if (count !== 1 || hasMost !== 1) throw new Error('jq.wasm describes its memory in another way than before.')
  const [least] = readNumber(body, 2)
  const limited = [count, hasMost, ...writeNumber(least), ...writeNumber(mostPages)]
  return Buffer.from([sections.memory, ...writeNumber(limited.length), ...limited])
}

function* sectionsOf(wasm) {
  for (let at = 8; at < wasm.length; ) {
    const [length, start] = readNumber(wasm, at + 1)
    const end = start + length
    yield { id: wasm[at], whole: wasm.subarray(at, end), body: wasm.subarray(start, end) }
    at = end
  }
}

/** Reads a number, seven bits per byte; returns it and where it ends. */
function readNumber(bytes, start) {
  let [number, at, factor] = [0, start, 1]
  for (; bytes[at] >= 128; at++) {
    number += (bytes[at] - 128) * factor
    factor *= 128
  }
  return [number + bytes[at] * factor, at + 1]
}

function writeNumber(number) {
  return number < 128 ? [number] : [(number % 128) + 128, ...writeNumber(Math.floor(number / 128))]
}
