import type { IncomingHttpHeaders } from 'node:http'

/** An answer that is no 2xx, as far as it may tell what is wrong. */
interface ErrorAnswer {
  status: number
  headers: IncomingHttpHeaders
  text: string
}

interface Hint {
  /** In the answer's body. */
  says: RegExp
  means: string
}

/** What receivers, frameworks and what stands before them say about mistakes, and what those mean for a webhook. */
const hints: readonly Hint[] = [
  {
    says: /body_not_raw|read the body before|body (?:has )?already (?:been )?(?:read|used|consumed)|body is unusable|stream is not readable|must be of type string or an instance of (?:Buffer|ArrayBuffer)|expected payload to be of type string or buffer|\[object Object\]|not provided as a raw string or buffer|bytes-like object is required/i,
    means: 'The body was parsed before it was verified: keep the raw bytes, and verify those.',
  },
  {
    says: /\b(?:no|missing|without)\b[^.\n]{0,24}\b(?:signature|webhook|required)[^.\n]{0,16}headers?\b|missing_header|(?:reading|property|key|index)[^\n]{0,12}['"`]?(?:http_)?webhook[-_](?:id|timestamp|signature)/i,
    means:
      'It does not see the headers webhook-id, webhook-timestamp and webhook-signature: read them by names in lower case, and let proxies pass them on.',
  },
  {
    says: /csrf|cross-site post|forgery protection|invalidauthenticitytoken|page expired/i,
    means: 'The framework guards forms against other sites: take the route of the webhook out of that check (CSRF).',
  },
  {
    says: /timestamp[^\n]{0,40}\b(?:old|new|future|tolerance|expired|range)\b|timestamp_too_/i,
    means: 'It finds the time of the signature wrong: compare its clock, and read webhook-timestamp as seconds.',
  },
  {
    says: /same (?:byte )?length|ERR_CRYPTO_TIMING_SAFE_EQUAL/i,
    means:
      'It compares signatures of different lengths: decode both alike, and compare lengths before timingSafeEqual.',
  },
  {
    says: /no_usable_secret|secret (?:is|can't be|cannot be|must not be) (?:empty|missing|not set|undefined|required)|\bsecret[^\n]{0,20}(?:undefined|not configured)|reading ['"]secret|key['"]? argument must be of type/i,
    means: 'It has no secret: is the variable set where it runs?',
  },
  {
    says: /invalid host header|blocked request|host(?:name)? .{0,80}is not allowed|disallowedhost|misdirected|host_not_allowed/i,
    means: 'It refuses the host name that it was called by: allow that name.',
  },
  {
    says: /missing authentication token/i,
    means: 'API Gateway has no such path or stage: compare the address with the deployed stage.',
  },
  {
    says: /deployment_not_found|no such app|application not found|err_ngrok_3\d{3}|tunnel [^\n]{0,40}not (?:found|active)/i,
    means: 'A platform or tunnel answered that nothing runs behind this address.',
  },
  {
    says: /just a moment|attention required|challenge-platform|cf-error|captcha|verify you are (?:a )?human/i,
    means: 'A bot check stands in front: let requests of the service pass it.',
  },
  {
    says: /task timed out|function_invocation_timeout|gateway time-?out/i,
    means: 'The function or app did not answer in time behind its gateway.',
  },
  {
    says: /internal server error.{0,4}\}$|malformed lambda proxy response|bad gateway/i,
    means:
      'The gateway got no usable answer from the app: look at its log; a function must return statusCode, and a body as text.',
  },
  {
    says: /unexpected (?:token|end of json|non-whitespace)|is not valid json|jsondecodeerror|body_not_json|invalid json/i,
    means: 'It could not parse the body as JSON: parse the bytes once, after they are verified.',
  },
]

const byStatus: Readonly<Record<number, string>> = {
  400: '',
  404: 'Nothing is routed at this path: compare it with the route, and with what a proxy in front takes off or adds.',
  405: 'The route does not take POST.',
  407: 'A proxy answered, which wants a password.',
  411: 'Something in front wants Content-Length and takes no chunked bodies.',
  415: 'No parser is registered for application/json, or the route takes other types only.',
  421: 'It refuses the host name that it was called by: allow that name.',
  426: 'Something in front wants another version of HTTP.',
}

/** The receiver's own mistake as its answer tells it; `undefined` if the answer tells none. */
export function ownMistake({ status, headers, text }: ErrorAnswer): string | undefined {
  if (status >= 300 && status < 400) return redirected(headers.location)
  const login = headers['www-authenticate']
  if (status === 401 && login !== undefined && !/signature/i.test(login))
    return `It, or something in front, asks for a login (${login.slice(0, 40)}): a webhook has none; its signature is the proof.`
  const told = hints.find(({ says }) => says.test(text))?.means
  return told ?? (byStatus[status] || undefined)
}

function redirected(location: string | undefined): string | undefined {
  if (location === undefined) return 'Redirects are not followed: give the address that answers itself.'
  // Where it leads is said already.
  return /\/(?:log-?in|sign-?in|auth)\b/i.test(location)
    ? 'That is a login: take the route of the webhook out of it.'
    : undefined
}

const serverOf = (headers: IncomingHttpHeaders) => String(headers.server ?? '')

/** Limits that a platform sets and no setting of the receiver raises. */
const platformLimits: readonly { is(answer: ErrorAnswer): boolean; name: string }[] = [
  {
    name: 'API Gateway (10 MB, or 256 KiB into a queue)',
    is: ({ text, headers }) =>
      /request too long/i.test(text) || /requestentitytoolarge/i.test(String(headers['x-amzn-errortype'] ?? '')),
  },
  { name: 'the load balancer of AWS (1 MB to a function)', is: ({ headers }) => /^awselb/.test(serverOf(headers)) },
  { name: 'Vercel (4.5 MB)', is: ({ text }) => /function_payload_too_large/i.test(text) },
  { name: 'Cloudflare', is: ({ headers }) => headers.server === 'cloudflare' && headers['cf-ray'] !== undefined },
  {
    name: 'the front end of Google (32 MB, less behind some services)',
    is: ({ headers, text }) =>
      headers.server === 'Google Frontend' || /your client issued a request that was too large/i.test(text),
  },
  { name: 'Netlify (6 MB)', is: ({ headers }) => headers.server === 'Netlify' },
  { name: 'Azure', is: ({ headers }) => headers['x-azure-ref'] !== undefined },
]

/** The platform whose limit of a body's size the request met before it came to the receiver. */
export function limitingPlatform(answer: ErrorAnswer): string | undefined {
  return answer.status === 413 ? platformLimits.find(({ is }) => is(answer))?.name : undefined
}

/** Which setting raises the limit that a receiver answered 413 by. */
export function limitSetting({ text, headers }: ErrorAnswer): string | undefined {
  if (/FST_ERR_CTP_BODY_TOO_LARGE/.test(text)) return "Fastify's bodyLimit"
  if (/PayloadTooLargeError|request entity too large\W*$|entity\.too\.large/i.test(text) && !/nginx/i.test(text))
    return "the option limit of express.raw() or the body parser, '1mb'"
  if (/maximum allowed|payload content length greater/i.test(text)) return "hapi's payload.maxBytes"
  if (/nginx/i.test(text) || /^nginx/.test(serverOf(headers))) return 'client_max_body_size of nginx'
  if (/^apache/i.test(serverOf(headers))) return 'LimitRequestBody of Apache'
  return undefined
}
