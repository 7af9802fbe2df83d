import { basename } from 'node:path'
import { UsageError } from '../../contract/index.js'
import type { Scenario } from '../../scenarios/index.js'
import { suggestions } from '../../shared/word-match.js'
import { readInputText } from '../input/read.js'
import type { ProcessContext } from '../process/context.js'

/**
 * The scenario that comes with dlv under this name, or the one in this file.
 *
 * @throws UsageError for an unknown name, or a file that is no scenario
 */
export async function scenarioNamed(context: ProcessContext, name: string): Promise<Scenario> {
  const { builtInScenario, readScenario, scenarioNames, scenarioOf } = await import('../../scenarios/index.js')
  const builtIn = builtInScenario(name)
  if (builtIn !== undefined) return scenarioOf(builtIn, name)
  const isFile = name === '-' || /[./\\]/.test(name)
  if (isFile)
    return readScenario(
      await readInputText(context, name, 'SCENARIO'),
      name === '-' ? 'standard input' : basename(name),
    )
  const [near] = suggestions(name.slice(0, 80), scenarioNames, 1)
  throw new UsageError(`"${name.slice(0, 80)}" is not a scenario.`, {
    hint: `${near === undefined ? '' : `Did you mean "${near}"? `}Expected one of ${scenarioNames.join(', ')}, or a file.`,
  })
}
