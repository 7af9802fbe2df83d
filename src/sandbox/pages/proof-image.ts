import { escapeHtml } from '../../shared/escape-html.js'

/** A proof of delivery as a drawing that says what it stands for. */
export function proofImage(deliveryId: string, type: string): string {
  const title = escapeHtml(type.toUpperCase())
  const id = escapeHtml(deliveryId)
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 400" width="640" height="400" role="img" aria-label="${title} of ${id}">
<rect width="640" height="400" fill="#f6f8fa"/>
<rect x="24" y="24" width="592" height="352" rx="16" fill="#fff" stroke="#57606a" stroke-width="2" stroke-dasharray="8 6"/>
<text x="320" y="190" font-family="system-ui, sans-serif" font-size="56" font-weight="700" fill="#1b1f24" text-anchor="middle">${title}</text>
<text x="320" y="240" font-family="ui-monospace, monospace" font-size="20" fill="#57606a" text-anchor="middle">${id}</text>
<text x="320" y="330" font-family="system-ui, sans-serif" font-size="16" fill="#57606a" text-anchor="middle">sandbox, not a real proof</text>
</svg>
`
}
