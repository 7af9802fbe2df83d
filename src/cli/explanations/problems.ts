import { stuckMeans } from '../../trade/problems.js'
import { lateMeans } from '../../trade/promise.js'
import { explanationsOf } from './explanation.js'

const notStatus = 'Nothing to retry: the delivery keeps its status, and --problem says why it is listed.'
const list = 'dlv deliveries list --problem'
const board = 'dlv deliveries board'

/** Words of `deliveries list --problem` that are not statuses. */
export const problemExplanations = explanationsOf('problem', {
  late: [lateMeans, notStatus, list, board],
  stuck: [`${stuckMeans}.`, notStatus, list, 'dlv deliveries list --problem --stuck-after 30m', board],
})
