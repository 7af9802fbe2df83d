import { z } from 'zod'
import { ControlAnswer, type ControlContext, type ControlRoute } from './control-route.js'

const Save = z.strictObject({
  /** Overwrites a snapshot of the same name. */
  force: z.boolean().default(false),
})

export function snapshotRoutes({ snapshots }: ControlContext): ControlRoute[] {
  return [
    { method: 'GET', path: '/snapshots', handle: () => ({ snapshots: snapshots.list() }) },
    {
      method: 'POST',
      path: '/snapshots/{name}',
      async handle(call) {
        const { force } = await call.body(Save)
        return new ControlAnswer(201, snapshots.save(call.parameters.name ?? '', force))
      },
    },
    {
      method: 'POST',
      path: '/snapshots/{name}/restore',
      handle(call) {
        const name = call.parameters.name ?? ''
        return { name, restored: true, ...snapshots.restore(name) }
      },
    },
  ]
}
