/** Writes a journal in a thread of its own, so that whoever receives webhooks waits for no disk. */
import { parentPort, workerData } from 'node:worker_threads'
import { groupWriter } from '../group-writer.js'
import { openKnownJournal } from '../schema.js'
import { type FromThread, packOutcome, type ThreadSetup, type ToThread, unpackGroup } from './messages.js'

const { file, maxBytes } = workerData as ThreadSetup
const port = parentPort
const database = openKnownJournal(file, maxBytes)
const writer = groupWriter(database)
const tell = (message: FromThread) => port?.postMessage(message)

port?.on('message', (message: ToThread) => {
  if (message === 'close') {
    database.close()
    port.close()
  } else writer.write(unpackGroup(message), (outcome) => tell(packOutcome(outcome)))
})
tell('ready')
