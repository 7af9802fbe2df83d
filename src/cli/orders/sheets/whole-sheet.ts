import { type RowOptions, type Rows, readRows } from '../../../bulk/index.js'
import { silentNotices } from '../../bulk/table-reading.js'
import { KeptPipe } from '../../input/kept-pipe.js'
import { inputSource, isReadOnce } from '../../input/source.js'
import type { ProcessContext } from '../../process/context.js'
import type { SheetForms } from './sheet-forms.js'

/** How a sheet is read, as far as its times are concerned. */
type TimedReading = Pick<RowOptions, 'onSheet'> & { forms?: SheetForms | undefined }

/** The bytes of an input, which can be read once more while its rows wait. */
interface WholeSource extends ReturnType<typeof inputSource> {
  again(): AsyncIterable<Uint8Array>
  close(): Promise<void>
}

/** Opens a file or standard input; a pipe is kept as it is read, if its times may have to be looked at together. */
export function wholeSource(context: ProcessContext, name: string, { forms, onSheet }: TimedReading): WholeSource {
  const source = inputSource(context, name)
  if (!isReadOnce(context, name) || forms?.times === undefined)
    return { ...source, again: () => inputSource(context, name).bytes, close: async () => undefined }
  const pipe = new KeptPipe(source.bytes)
  const again = () => saying(pipe.whole(), () => onSheet?.(waiting, false))
  return { ...source, bytes: pipe.bytes(), again, close: () => pipe.close() }
}

const waiting =
  'Waiting for the end of the input: a time of it could be read in two ways, and others may tell which is meant.'
/** A pipe that takes longer is said to be waited for. */
const patienceMs = 2_000

async function* saying(bytes: AsyncIterable<Uint8Array>, say: () => void): AsyncGenerator<Uint8Array> {
  const timer = setTimeout(say, patienceMs)
  try {
    for await (const piece of bytes) {
      clearTimeout(timer)
      yield piece
    }
  } finally {
    clearTimeout(timer)
  }
}

/** The rows of a source, of which none is given on that could be read in two ways before the whole was looked at. */
export function wholeRows(rows: Rows, { again, close }: WholeSource, options: RowOptions & TimedReading): Rows {
  const times = options.forms?.times
  if (times === undefined) return rows
  const looked = times.evidence.rows(rows, {
    bytes: again,
    rows: () => readRows(again(), { ...options, ...silentNotices }),
  })
  return {
    reading: rows.reading,
    async *[Symbol.asyncIterator]() {
      try {
        yield* looked
      } finally {
        await close()
      }
    },
  }
}
