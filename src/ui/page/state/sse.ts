/** One server-sent event. */
interface ServerEvent {
  event: string
  data: string
}

/** Reads server-sent events from a response. `EventSource` could not send the token in a header. */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent, void, undefined> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    const blocks = (rest + decoder.decode(value, { stream: true })).split('\n\n')
    rest = blocks.pop() ?? ''
    for (const block of blocks) yield* eventOf(block)
  }
}

function* eventOf(block: string): Generator<ServerEvent> {
  let event = 'message'
  const data: string[] = []
  for (const line of block.split('\n')) {
    if (line.startsWith('event: ')) event = line.slice(7)
    else if (line.startsWith('data: ')) data.push(line.slice(6))
  }
  if (data.length > 0) yield { event, data: data.join('\n') }
}
