/** Writes a journal in a separate thread, so that receiving webhooks never waits for the disk. */
import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads'
import { groupWriter } from '../group-writer.js'
import { openKnownJournal } from '../schema.js'
import type { JournalWrite } from '../writes.js'
import { type FromThread, packOutcome, type ThreadSetup, type ToThread, unpackGroup } from './messages.js'

const { file, maxBytes } = workerData as ThreadSetup
const port = parentPort as MessagePort
const database = openKnownJournal(file, maxBytes)
const write = groupWriter(database)
const tell = (message: FromThread) => port.postMessage(message)

port.on('message', (first: ToThread) => {
  const writes: JournalWrite[] = []
  let message: ToThread | undefined = first
  // All that came during the last sync shares the next one.
  while (message !== undefined && message !== 'close') {
    for (const one of unpackGroup(message)) writes.push(one)
    message = receiveMessageOnPort(port)?.message as ToThread | undefined
  }
  if (writes.length > 0) tell(packOutcome(write(writes)))
  if (message === 'close') {
    database.close()
    port.close()
  }
})
tell('ready')
