import { headers } from '../contract/index.js'

/** Headers that any HTTP response may have, from servers, caches, proxies and security policies. */
const ordinary =
  `accept-ranges access-control-allow-credentials access-control-allow-headers access-control-allow-methods
access-control-allow-origin access-control-expose-headers access-control-max-age age allow alt-svc cache-control cf-cache-status
cf-ray connection content-disposition content-encoding content-language content-length content-location content-security-policy
content-type cross-origin-embedder-policy cross-origin-opener-policy cross-origin-resource-policy date etag expires keep-alive
last-modified link location nel origin-agent-cluster permissions-policy pragma proxy-authenticate referrer-policy report-to
reporting-endpoints server server-timing set-cookie strict-transport-security timing-allow-origin traceparent tracestate trailer
transfer-encoding upgrade vary via www-authenticate x-content-type-options x-dns-prefetch-control x-download-options
x-envoy-upstream-service-time x-frame-options x-permitted-cross-domain-policies x-powered-by x-xss-protection`.split(
    /\s+/,
  )

const known = new Set([...ordinary, ...Object.values(headers).map((name) => name.toLowerCase())])

/** Whether a response's header is one of the contract's, or says nothing about the service. HTTP/2 has names with `:`. */
export function isDocumentedHeader(name: string): boolean {
  return name.startsWith(':') || known.has(name.toLowerCase())
}
