import { post } from '../state/api.js'

/** Posts to a route and reads the screen again; resolves with what to say, by default the answer's message. */
export type Act = <Answer = { message: string }>(
  path: string,
  body: object,
  say?: (answer: Answer) => string,
) => Promise<string>

export function actThen(reload: () => Promise<unknown>): Act {
  return async (path, body, say) => {
    try {
      const answer = await post<never>(path, body)
      return say === undefined ? (answer as { message: string }).message : say(answer)
    } finally {
      await reload()
    }
  }
}
