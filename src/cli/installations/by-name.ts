import { ApiError } from '../../contract/index.js'
import type { Notices } from '../output/notices.js'
import type { ListSession } from './service-list.js'

/**
 * Makes a call about an installation. If none has the code, and the text is another name of one, the call is made for its
 * code, which is said; what may be several, or is only similar, is offered by the error.
 */
export async function byName<Result>(
  session: ListSession & { notices: Notices },
  text: string,
  call: (code: string) => Promise<Result>,
  { mayCall = true }: { mayCall?: boolean } = {},
): Promise<Result> {
  try {
    return await call(text)
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'INSTALLATION_NOT_FOUND') throw error
    const [{ InstallationNames }, { offerOf, placeText }] = await Promise.all([
      import('./order-names.js'),
      import('./find-installation.js'),
    ])
    const found = await new InstallationNames(session).offered(text)
    if (found?.kind === 'one' && found.isSure && mayCall) {
      session.notices.notice(`"${text}" is ${placeText(found.place)}.`)
      return call(found.place.code)
    }
    const hint = found === undefined ? undefined : offerOf(text, found)
    throw hint === undefined ? error : new ApiError(error.message, { ...error, hint })
  }
}
