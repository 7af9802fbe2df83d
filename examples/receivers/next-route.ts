// app/hooks/route.ts of a Next.js application; Bun, Deno and workers take the same handler.
import { fetchReceiver } from 'dlv-cli/webhooks'
import { takeOver } from './orders.ts'

export const POST = fetchReceiver({ secrets: process.env.WEBHOOK_SECRET ?? '', onEvent: takeOver })
