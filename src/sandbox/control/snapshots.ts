import { z } from 'zod'
import { ControlAnswer, type ControlContext, type ControlRoutes } from './control-route.js'

const Save = z.strictObject({
  /** Overwrites a snapshot of the same name. */
  force: z.boolean().default(false),
})

export function snapshotRoutes({ snapshots }: ControlContext): ControlRoutes {
  return {
    'GET /snapshots': () => ({ snapshots: snapshots.list() }),
    async 'POST /snapshots/{name}'(call) {
      const { force } = await call.body(Save)
      return new ControlAnswer(201, snapshots.save(call.parameters.name ?? '', force))
    },
    'POST /snapshots/{name}/restore'(call) {
      const name = call.parameters.name ?? ''
      return { name, restored: true, ...snapshots.restore(name) }
    },
  }
}
