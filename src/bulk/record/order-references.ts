import { fingerprint } from './row-states.js'

/**
 * The orders of a run by their reference, in 12 bytes a row: tells whether another row asked for something else under
 * the same one, which the service's answer does not always show.
 */
export class OrderReferences {
  #references = new Float64Array(1_024)
  #bodies = new Uint32Array(1_024)
  #length = 0

  note(row: number, reference: string, bodyHash: string): void {
    if (row >= this.#references.length) this.#grow(row)
    this.#references[row] = fingerprint(reference)
    this.#bodies[row] = shortHash(bodyHash)
    this.#length = Math.max(this.#length, row + 1)
  }

  /** Takes out a row that turned out to be no delivery: its reference may belong to another. */
  forget(row: number): void {
    if (row < this.#length) this.#references[row] = 0
  }

  /** The first other row with this reference and another body. */
  clashOf(row: number, reference: string, bodyHash: string): number | undefined {
    const wanted = fingerprint(reference)
    const body = shortHash(bodyHash)
    for (let other = this.#references.indexOf(wanted); other >= 0; other = this.#references.indexOf(wanted, other + 1))
      if (other !== row && other < this.#length && this.#bodies[other] !== body) return other
    return undefined
  }

  #grow(row: number): void {
    const size = Math.max(row + 1, this.#references.length * 2)
    const references = new Float64Array(size)
    references.set(this.#references)
    this.#references = references
    const bodies = new Uint32Array(size)
    bodies.set(this.#bodies)
    this.#bodies = bodies
  }
}

function shortHash(bodyHash: string): number {
  return Number.parseInt(bodyHash.slice(0, 8), 16)
}
