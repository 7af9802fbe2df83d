/** Codes of certificates that were refused, and of handshakes that failed. `UNSPECIFIED` is Node's for all but the commonest. */
const codes =
  /^(?:ERR_TLS_|ERR_SSL_|CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|HOSTNAME_MISMATCH|INVALID_(?:CA|PURPOSE)|PATH_LENGTH_|CRL_|UNSPECIFIED$|EPROTO)/

/** Whether an error code is that of a certificate or of a handshake: nothing gets better by asking again. */
export function isTlsCode(code: string): boolean {
  return codes.test(code)
}

/** The words of a failure, without those of OpenSSL's around them. */
export function tlsWords(message: string): string {
  const [, reason] = /:SSL routines:[^:]*:([^:]+):/.exec(message) ?? []
  return reason ?? message.replace(/; if the root CA.*/s, '')
}

/** What helps, by the words of Node and OpenSSL; the first that fits. */
const remedies: readonly (readonly [RegExp, string])[] = [
  [/altnames|Hostname/, 'The certificate is for another name: check the base URL, and who answers there.'],
  [/expired/, 'Whoever runs it has to renew it, unless the clock of this machine is wrong.'],
  [/not yet valid/, 'Check the clock of this machine.'],
  [/wrong version|packet length|unknown protocol|http request/, 'It does not speak TLS there: check scheme and port.'],
  [
    /certificate required|handshake failure|bad certificate/,
    'It may want a certificate of the client, and none is sent.',
  ],
  [
    /self-signed|issuer|first certificate|certificate chain/,
    'Where the certificate comes from an authority of your own, name its file in NODE_EXTRA_CA_CERTS, or set NODE_USE_SYSTEM_CA=1 if this machine trusts it.',
  ],
]

/** What to do about a failure. */
export function tlsRemedy(message: string): string {
  const [, remedy] = remedies.find(([words]) => words.test(message)) ?? []
  return (
    remedy ?? 'The certificate does not fit its use: whoever runs it, or the proxy that reads TLS, has to replace it.'
  )
}

/** Whether its authority is not known, so that naming it can help. */
export function isUntrusted(code: string): boolean {
  return /^(?:DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)/.test(code)
}
