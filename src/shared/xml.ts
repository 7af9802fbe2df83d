/** Escapes text for an XML element or a quoted attribute; characters that XML cannot contain become U+FFFD. */
export function xmlText(text: string): string {
  const visible = text.replace(/[^\t\n\r\x20-\ud7ff\ue000-\ufffd]/g, '\ufffd')
  return visible.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}
