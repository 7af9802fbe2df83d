/**
 * Sends prepared requests over connections that are kept open, one at a time on each, and reads only the status of a
 * response and where it ends. A client library takes longer for a request than the fastest server that is measured here.
 */
import { connect } from 'node:net'

const headersEnd = '\r\n\r\n'
const lastChunk = '0\r\n\r\n'

/**
 * @param {URL} url the host and port to connect to
 * @param {number} connections how many to keep open
 * @param {number} count how many requests to send
 * @param {(index: number) => string | Buffer} requestAt the whole request
 * @param {(index: number, status: number, ms: number) => void} onResponse told once the response has been read to its end
 * @returns {Promise<number>} the seconds that it took
 */
export async function exchange(url, connections, count, requestAt, onResponse) {
  let next = 0
  const overOne = () =>
    new Promise((resolve, reject) => {
      const socket = connect(Number(url.port), url.hostname)
      socket.setNoDelay(true)
      let index = -1
      let sentAt = 0
      let status = 0
      let head = ''
      /** How much of a body of known length is to come; `undefined` while there is no head, or for chunks. */
      let missing
      let tail = ''
      const send = () => {
        if (next >= count) {
          index = -1
          socket.end()
          resolve()
          return
        }
        index = next++
        head = ''
        tail = ''
        missing = undefined
        status = 0
        sentAt = performance.now()
        socket.write(requestAt(index))
      }
      const end = () => {
        onResponse(index, status, performance.now() - sentAt)
        send()
      }
      const readChunks = (text) => {
        tail = (tail + text).slice(-lastChunk.length)
        if (tail === lastChunk) end()
      }
      const readHead = (text) => {
        head += text
        const at = head.indexOf(headersEnd)
        if (at === -1) return
        status = Number(head.slice(9, 12))
        const length = /\r\ncontent-length: *(\d+)/i.exec(head.slice(0, at + 2))?.[1]
        const body = head.slice(at + headersEnd.length)
        if (status === 204) end()
        else if (length === undefined) readChunks(body)
        else {
          missing = Number(length) - body.length
          if (missing === 0) end()
        }
      }
      socket.on('connect', send)
      socket.on('data', (data) => {
        if (missing !== undefined) {
          missing -= data.length
          if (missing === 0) end()
        } else if (status === 0) readHead(data.latin1Slice())
        else readChunks(data.latin1Slice())
      })
      socket.on('error', reject)
      socket.on('close', () => {
        if (index !== -1) reject(new Error(`${url.host} closed a connection before it had answered`))
      })
    })
  const startedAt = performance.now()
  await Promise.all(Array.from({ length: connections }, overOne))
  return (performance.now() - startedAt) / 1_000
}

/** The whole of a request as it goes over the wire. */
export function requestText(method, url, headers, body = '') {
  const all = { host: url.host, ...headers, ...(body === '' ? {} : { 'content-length': Buffer.byteLength(body) }) }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return `${method} ${url.pathname}${url.search} HTTP/1.1\r\n${lines.join('')}\r\n${body}`
}
