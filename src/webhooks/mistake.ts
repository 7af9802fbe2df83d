/** The mistakes that make good webhooks fail, each with what happened and what to change. */
export const mistakes = {
  secret_not_decoded: {
    message: 'the secret was used as text, without decoding its base64',
    hint: 'Remove whsec_, then base64-decode the rest: those bytes are the key.',
  },
  secret_prefix_kept: {
    message: 'the secret was used with whsec_ still in front',
    hint: 'Remove whsec_ before decoding.',
  },
  secret_with_version: {
    message: 'the secret was used with "v1," in front',
    hint: '"v1," belongs to signatures; the secret starts with whsec_.',
  },
  other_secret: {
    message: 'the signature was made with another secret',
    hint: 'Is this the webhook of another environment, or an old secret after a rotation?',
  },
  body_reserialised: {
    message: 'the body was parsed and written again before it was signed or checked',
    hint: 'Verify the bytes as they arrived, before any JSON middleware: neither JSON.stringify nor json.dumps gives them back.',
  },
  body_newline: {
    message: 'a newline at the end of the body was added or dropped',
    hint: 'Keep the body byte for byte: editors, echo and shells add a newline; use printf or the --data-binary of curl.',
  },
  body_line_ends: {
    message: 'line ends of the body were changed between LF and CRLF',
    hint: 'Keep the body byte for byte: git and editors on Windows convert line ends.',
  },
  body_mark: {
    message: 'a byte order mark in front of the body was added or dropped',
    hint: 'Keep the body byte for byte: decoding to text drops the mark.',
  },
  body_recoded: {
    message: 'the body was read or written in another character set than UTF-8',
    hint: 'Verify the bytes as they arrived, and decode them as UTF-8 only afterwards.',
  },
  body_in_base64: {
    message: 'the body is in base64 on one side only',
    hint: 'Decode it first: a gateway says so with isBase64Encoded, and Pub/Sub holds its message.data in base64.',
  },
  body_in_json_string: {
    message: 'the body is written as a text within JSON, with quotes and backslashes',
    hint: 'Verify the text itself: parse that JSON once, or let jq -j print it without a newline.',
  },
  body_in_utf16: {
    message: 'the body is in UTF-16, not in UTF-8',
    hint: "PowerShell's > and Out-File write UTF-16: use curl.exe -o FILE, or Out-File -Encoding utf8NoBOM -NoNewline.",
  },
  body_in_event: {
    message: 'the body is the whole event of a gateway or queue, with the webhook inside it',
    hint: 'Verify the body that it holds, such as event.body, decoded from base64 if isBase64Encoded is true.',
  },
  timestamp_in_ms: {
    message: 'the timestamp is in milliseconds',
    hint: 'webhook-timestamp is Unix time in whole seconds: Math.floor(Date.now() / 1000).',
  },
  id_and_timestamp_swapped: {
    message: 'the id and the timestamp were swapped',
    hint: 'The signed text is {webhook-id}.{webhook-timestamp}.{body}, in this order.',
  },
  parts_missing: {
    message: 'the id or the timestamp was left out of the signed text',
    hint: 'The signed text is {webhook-id}.{webhook-timestamp}.{body}, with both dots.',
  },
  signature_in_hex: {
    message: 'the signature is written in hex',
    hint: 'The scheme wants base64: digest("base64").',
  },
  signature_in_base64url: {
    message: 'the signature is in base64url or without padding',
    hint: 'The scheme wants the standard alphabet with + and /, padded with =.',
  },
  signature_without_version: {
    message: 'the signature has no "v1," in front',
    hint: 'Each entry is v1,<base64>; entries are separated by one space.',
  },
  foreign_headers: {
    message: 'the headers are named svix-*, not webhook-*',
    hint: 'The signature is good under those names: is a proxy or a library renaming headers?',
  },
  clock: {
    message: 'the signature is good, the clock is off',
    hint: 'Synchronise the clocks on both sides; an old request must be signed again to be replayed.',
  },
} as const

/** A mistake that makes good webhooks fail. */
export type Mistake = keyof typeof mistakes
