import { ControlAnswer, type ControlContext, type ControlRoute } from './control-route.js'

export function snapshotRoutes({ snapshots }: ControlContext): ControlRoute[] {
  return [
    { method: 'GET', path: '/snapshots', handle: () => ({ snapshots: snapshots.list() }) },
    {
      method: 'POST',
      path: '/snapshots/{name}',
      handle(call) {
        const name = call.parameters.name ?? ''
        return new ControlAnswer(201, { name, file: snapshots.save(name) })
      },
    },
    {
      method: 'POST',
      path: '/snapshots/{name}/restore',
      handle(call) {
        const name = call.parameters.name ?? ''
        return { name, file: snapshots.restore(name), restored: true }
      },
    },
  ]
}
