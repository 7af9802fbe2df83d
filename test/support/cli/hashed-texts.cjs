// Preloaded into the program by a test that counts what it hashes: each text, a line as JSON.
const crypto = require('node:crypto')
const { appendFileSync } = require('node:fs')

const { hash } = crypto
crypto.hash = (algorithm, text, ...rest) => {
  appendFileSync(process.env.DLV_TEST_HASHED_TEXTS, `${JSON.stringify(String(text))}\n`)
  return hash(algorithm, text, ...rest)
}
