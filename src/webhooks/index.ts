/** Signed webhooks: sign, verify, explain, receive. */
export { newSecret, type ParsedSecret, parseSecret } from './secret.js'
export { type SignatureHeaders, type SignedContent, sign, signatureHeaders } from './signature.js'
