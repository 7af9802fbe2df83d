import { crc32, deflateSync, inflateSync } from 'node:zlib'

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
const most = 256

/**
 * The same picture with at most 256 colours, a third as large: the page has few colours besides the edges of its
 * letters. It takes what a browser writes: 8 bits a channel, with or without transparency, not interlaced.
 */
export function palettePng(png: Buffer): Buffer {
  const { width, height, pixels } = readPng(png)
  const colours = new Map<number, number>()
  for (const pixel of pixels) colours.set(pixel, (colours.get(pixel) ?? 0) + 1)
  const palette = paletteOf(colours)
  const nearest = new Map([...colours.keys()].map((colour) => [colour, nearestOf(colour, palette)]))
  const rows = Buffer.alloc((width + 1) * height)
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) rows[y * (width + 1) + 1 + x] = nearest.get(pixels[y * width + x] ?? 0) ?? 0
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 3, 0, 0, 0], 8)
  const table = Buffer.from(palette.flatMap((colour) => [...channels(colour)]))
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('PLTE', table),
    chunk('IDAT', deflateSync(rows, { level: 9, memLevel: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

/** Median cut: boxes of colours are split at the middle of their widest channel, the most common colours first. */
function paletteOf(colours: ReadonlyMap<number, number>): number[] {
  const boxes = [[...colours]]
  while (boxes.length < most) {
    const [widest] = boxes
      .map((box, at) => ({ at, ...widestChannel(box) }))
      .filter(({ range }) => range > 0)
      .sort((one, other) => other.weight - one.weight)
    if (widest === undefined) break
    const box = boxes[widest.at] ?? []
    box.sort(([one], [other]) => (channels(one)[widest.channel] ?? 0) - (channels(other)[widest.channel] ?? 0))
    let rest = box.reduce((sum, [, count]) => sum + count, 0) / 2
    const middle = box.findIndex(([, count]) => {
      rest -= count
      return rest <= 0
    })
    const cut = Math.min(Math.max(middle, 1), box.length - 1)
    boxes.splice(widest.at, 1, box.slice(0, cut), box.slice(cut))
  }
  // The most common colour of a box is its colour, so that plain areas keep theirs exactly.
  return boxes.map((box) => box.reduce((best, entry) => (entry[1] > best[1] ? entry : best))[0])
}

function widestChannel(box: readonly (readonly [number, number])[]) {
  const ranges = [0, 1, 2].map((channel) => {
    let [low, high] = [255, 0]
    for (const [colour] of box) {
      const value = channels(colour)[channel] ?? 0
      low = Math.min(low, value)
      high = Math.max(high, value)
    }
    return high - low
  })
  const range = Math.max(...ranges)
  // Large areas of one colour count little more than small ones, or the edges of letters would lose theirs.
  const count = box.reduce((sum, [, times]) => sum + times, 0)
  return { channel: ranges.indexOf(range), range, weight: range * Math.sqrt(count) }
}

function nearestOf(colour: number, palette: readonly number[]): number {
  const [red, green, blue] = channels(colour)
  let best = 0
  let least = Number.POSITIVE_INFINITY
  for (const [at, candidate] of palette.entries()) {
    const [r, g, b] = channels(candidate)
    const distance = 2 * (r - red) ** 2 + 4 * (g - green) ** 2 + 3 * (b - blue) ** 2
    if (distance < least) [best, least] = [at, distance]
  }
  return best
}

function channels(colour: number): [red: number, green: number, blue: number] {
  return [colour >> 16, (colour >> 8) & 255, colour & 255]
}

function chunk(type: string, content: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), content])
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(content.length)
  check.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, check])
}

function readPng(png: Buffer): { width: number; height: number; pixels: Uint32Array } {
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)]
  const bytes = png[25] === 6 ? 4 : 3
  if (png[24] !== 8 || (png[25] !== 2 && png[25] !== 6) || png[28] !== 0) throw new Error('A PNG of another kind.')
  const parts: Buffer[] = []
  for (let at = 8; at < png.length; at += png.readUInt32BE(at) + 12)
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT')
      parts.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)))
  const raw = inflateSync(Buffer.concat(parts))
  const stride = width * bytes
  const pixels = new Uint32Array(width * height)
  let before = Buffer.alloc(stride)
  for (let y = 0; y < height; y++) {
    const row = Buffer.from(raw.subarray(y * (stride + 1) + 1, (y + 1) * (stride + 1)))
    unfilter(raw[y * (stride + 1)] ?? 0, row, before, bytes)
    for (let x = 0; x < width; x++) pixels[y * width + x] = row.readUIntBE(x * bytes, 3)
    before = row
  }
  return { width, height, pixels }
}

/** PNG 9.2: each byte was written as its difference to a prediction from its neighbours. */
function unfilter(filter: number, row: Buffer, before: Buffer, bytes: number): void {
  for (let at = 0; at < row.length; at++) {
    const left = at < bytes ? 0 : (row[at - bytes] ?? 0)
    const up = before[at] ?? 0
    const corner = at < bytes ? 0 : (before[at - bytes] ?? 0)
    const guess = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter] ?? 0
    row[at] = (row[at] ?? 0) + guess
  }
}

function paeth(left: number, up: number, corner: number): number {
  const estimate = left + up - corner
  const [toLeft, toUp, toCorner] = [Math.abs(estimate - left), Math.abs(estimate - up), Math.abs(estimate - corner)]
  if (toLeft <= toUp && toLeft <= toCorner) return left
  return toUp <= toCorner ? up : corner
}
