import { describe, expect, test } from 'vitest'
import { createGroupWriter } from '../../src/bulk/record/group-writer.js'

type File = Parameters<typeof createGroupWriter>[0]

/** A file that notes what is done with it, and takes a few bytes at a time where told to. */
function createFile(options: { mostBytes?: number; failsAt?: number } = {}) {
  const done: string[] = []
  const content: Buffer[] = []
  let writes = 0
  const file = {
    async write(bytes: Buffer, start: number) {
      if (++writes === options.failsAt) throw Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC' })
      const piece = bytes.subarray(start, start + (options.mostBytes ?? bytes.length))
      content.push(Buffer.from(piece))
      done.push('write')
      return { bytesWritten: piece.length, buffer: bytes }
    },
    async datasync() {
      done.push('sync')
    },
  }
  return { file: file as unknown as File, done, content: () => Buffer.concat(content).toString() }
}

describe('The writer of a record', () => {
  test('has a line that must not be lost on the disk before it says so, and many lines in one write', async () => {
    const { file, done, content } = createFile()
    const writer = createGroupWriter(file)
    const lines = Array.from({ length: 50 }, (_, index) => `line ${index}`)
    await Promise.all(lines.map((line) => writer.appendDurably(line)))
    expect(done).toEqual(['write', 'sync'])
    expect(content()).toBe(`${lines.join('\n')}\n`)
  })

  test('does not wait for the disk with other lines, until it finishes', async () => {
    const { file, done } = createFile()
    const writer = createGroupWriter(file)
    await writer.append('a')
    expect(done).toEqual(['write'])
    const waiting = writer.append('b')
    await writer.appendDurably('c')
    await waiting
    await writer.finish()
    expect(done).toEqual(['write', 'write', 'sync', 'sync'])
  })

  test('continues after a partial write, byte by byte', async () => {
    const { file, content } = createFile({ mostBytes: 3 })
    const writer = createGroupWriter(file)
    await Promise.all([writer.appendDurably('äöü and more'), writer.append('second')])
    await writer.finish()
    expect(content()).toBe('äöü and more\nsecond\n')
  })

  test('writes nothing more after a failure, and says why to everyone who asks', async () => {
    const { file, content } = createFile({ failsAt: 2 })
    const writer = createGroupWriter(file)
    await writer.appendDurably('kept')
    await expect(Promise.all([writer.append('lost'), writer.appendDurably('lost too')])).rejects.toThrow('ENOSPC')
    await expect(writer.append('later')).rejects.toThrow('ENOSPC')
    await writer.finish()
    expect(writer.failure()).toMatchObject({ code: 'ENOSPC' })
    expect(content()).toBe('kept\n')
  })
})
