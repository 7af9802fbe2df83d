import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** What takes longest, from the longest on: begun last, one of these would be waited for by all. */
const longest = [
  'ui/screens',
  'ui/levers',
  'commands/webhooks-postgres',
  'commands/outages',
  'cli/output/jq-limits',
  'second-service/commands',
  'languages/programs',
  'archive/postgres',
  'scenarios/play',
  'commands/webhooks-listen',
  'commands/webhooks-targets',
  'ui/webhooks',
  'ui/deliveries',
  'languages/receivers',
  'ui/production',
  'commands/query',
  'postgres/poolers',
  'security/linear-time',
  'ui/map',
  'commands/bulk-faults',
  'security/completion',
  'postgres/shared-journal',
  'commands/deliveries/board',
  'commands/bulk',
  'journeys/cookbook',
  'listener/kill',
  'commands/terminals',
  'library/types',
  'journeys/secrets',
  'journeys/examples',
]

/**
 * The order of files: vitest begins with those that took longest here before, and where none has been run, as in a fresh
 * clone, with those listed.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    if (files.some((file) => this.ctx.cache.getTestSpecificationResult(file) !== undefined)) return sorted
    const place = ({ moduleId }: TestSpecification) => {
      const found = longest.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`))
      return found === -1 ? longest.length : found
    }
    return sorted.toSorted((one, other) => place(one) - place(other))
  }
}
