// app/hooks/route.ts in a Next.js app. Bun, Deno and workers take the same handler.
import { fetchReceiver } from 'dlv-cli/webhooks'
import { applyEvent } from './orders.ts'

export const POST = fetchReceiver({ secrets: process.env.WEBHOOK_SECRET ?? '', onEvent: applyEvent })
