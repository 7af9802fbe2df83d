/**
 * What commands a terminal: strings such as a link's address (OSC), then everything else that ends with a letter or
 * digit (CSI). `stripVTControlCharacters` of Node 22 takes some addresses for text, and that of later Nodes reads to the
 * end of the text from every string that does not end. Here, a string ends at the next escape at the latest.
 */
const sequences =
  /\u001b\][^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)|[\u001b\u009b][[\]()#;?]*(?:\d{1,4}(?:[;:]\d{0,4})*)?[\dA-PR-TZcf-nq-uy=><~]/g

/** A text without its escape sequences, such as colours and links. */
export function withoutSequences(text: string): string {
  return text.replace(sequences, '')
}
