import type { ProcessContext } from './context.js'

/**
 * Ends a command that npx started like SIGTERM once npx is gone. npx passes a signal only to the shell that it started the
 * command in, and the shell ends without passing it on.
 */
export function endWithNpx({ env, signals }: ProcessContext): void {
  if (env.npm_lifecycle_event !== 'npx' || !/^'?dlv\b/.test(env.npm_lifecycle_script ?? '')) return
  // What this command starts was not started by npx.
  delete env.npm_lifecycle_event
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    signals.emit('SIGTERM')
  }, 250)
  timer.unref()
}
