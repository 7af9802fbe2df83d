import { expect, test } from 'vitest'
import { redactSecrets } from '../../src/shared/redact-secrets.js'

test.each([
  ['a signing secret', 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw is wrong', 'whsec_[redacted] is wrong'],
  ['a key, its environment kept', 'key dlvk_live_abcDEF-123_4.', 'key dlvk_live_[redacted].'],
  ['a key of no known form', 'dlvk_ABC', 'dlvk_[redacted]'],
  ['a bearer token', '"authorization: bearer abc.def"', '"authorization: bearer [redacted]"'],
  ['a signature', `v1,${'A'.repeat(43)}= v1a,${'B'.repeat(86)}==`, 'v1,[redacted] v1,[redacted]'],
  [
    'a password',
    'postgres://dlv:s3cr/e:t@db.example.com/x refused',
    'postgres://dlv:[redacted]@db.example.com/x refused',
  ],
  ['a long one', `dlv:${'s'.repeat(2_000)}@db`, 'dlv:[redacted]@db'],
  ['one with its sign', "'dlv:s3cr@et@db' or (dlv:x@db)", "'dlv:[redacted]@db' or (dlv:[redacted]@db)"],
  // As good as a user and a password without a scheme.
  ['the name in a mailto address', 'mailto:sam@example.com', 'mailto:[redacted]@example.com'],
  [
    'a path and a person',
    'C:\\dlv@1 and file:///a@b and sam@example.com',
    'C:\\dlv@1 and file:///a@b and sam@example.com',
  ],
])('%s is replaced', (_, text, shown) => {
  expect(redactSecrets(text)).toBe(shown)
})
