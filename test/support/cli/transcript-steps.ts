/** One line that is typed; `ID`, `EVENT`, `URL` and `HOME` stand for what the lane has. */
export interface Step {
  /** Name of the golden file; the command's words unless it says something else. */
  name?: string
  words: string[]
  /** For what runs until it is interrupted: Ctrl-C once this was printed. */
  until?: string
}

const step = (line: string, more: Omit<Step, 'words'> = {}): Step => ({ words: line.split(' '), ...more })
const order = ['--file', 'examples/order.json']
const note = ['--instructions', 'Ring twice']

/** Every command once, in an order in which each finds what it needs. */
export const steps: Step[] = [
  step('sandbox requests --columns method,path,status'),
  step('health'),
  step('capabilities'),
  step('doctor'),
  { words: ['quotes', 'create', ...order] },
  { words: ['deliveries', 'create', ...order, '--ref', 'STEP-1'] },
  { name: 'deliveries-create-dry-run', words: ['deliveries', 'create', ...order, '--dry-run'] },
  step('deliveries create --file HOME/rows.csv --results HOME/results.ndjson', { name: 'deliveries-create-run' }),
  { words: ['deliveries', 'update', 'ID', ...note] },
  step('simulate ID --list', { name: 'simulate-list' }),
  step('simulate ID --to delivered'),
  step('deliveries get ID'),
  step('deliveries list --from 1h'),
  step('deliveries watch ID'),
  step('deliveries board --once', { name: 'deliveries-board' }),
  step('deliveries proof ID'),
  step('deliveries open ID'),
  step('deliveries cancel CANCELLED --reason customer_cancelled'),
  step('deliveries get del_missing', { name: 'error' }),
  step('deliveries list --status lost', { name: 'error-usage' }),
  step('installations list --state NC'),
  step('installations get FTBRAGG'),
  step('installations check FTBRAGG'),
  step('drivers list'),
  step('drivers get DRIVER'),
  step('teams list'),
  step('events list --since 1h --limit 4'),
  step('events tail --since 1h --delivery ID', { until: 'delivered' }),
  step('events replay EVENT --to URL --secret-file HOME/secret.txt'),
  step('webhooks sign --file HOME/body.json --id evt_1 --at 2026-03-02T15:00:00Z --secret-file HOME/secret.txt'),
  step('webhooks verify --request HOME/request.txt --at 2026-03-02T15:00:00Z --secret-file HOME/secret.txt'),
  step('webhooks send delivery.delivered --to URL --id evt_1 --secret-file HOME/secret.txt'),
  step('webhooks listen --port 0 --secret-file HOME/secret.txt', { until: 'Ready' }),
  step('webhooks log'),
  step('webhooks status'),
  step('webhooks targets list'),
  step('webhooks targets remove http://127.0.0.1:9/hooks'),
  step('webhooks gaps --since 1h'),
  step('webhooks resend evt_unknown --to URL --secret-file HOME/secret.txt'),
  step('sandbox endpoints add URL'),
  step('sandbox endpoints list'),
  step('sandbox attempts EVENT'),
  step('sandbox resend EVENT'),
  step('sandbox rotate-secret'),
  step('sandbox endpoints remove --all'),
  step('sandbox status'),
  step('sandbox inspect ID'),
  step('sandbox clock'),
  step('sandbox magic gate_closed'),
  step('sandbox policy FTBRAGG --set acceptingDeliveries=false'),
  step('sandbox driver drv_new --team team_north'),
  step('sandbox switches lookupShape=array'),
  step('sandbox faults'),
  step('sandbox snapshot save before'),
  step('sandbox snapshot list'),
  step('sandbox snapshot restore before'),
  step('sandbox seed --count 5'),
  step('sandbox reset --yes'),
  step('sandbox start --port 0', { until: '/delivery/v1' }),
  step('ui --port 0', { until: '#token=' }),
  step('deliveries template'),
  step('drift'),
  step('api GET /capabilities --jq .accountType'),
  step('explain gate_closed'),
  step('openapi --jq .info'),
  step('agent setup --dir HOME/.', { name: 'agent-setup' }),
  step('completion fish'),
  { words: ['alias', 'set', 'late', 'deliveries board --once'] },
  step('alias list'),
  step('alias remove late'),
  step('profiles add acme --environment sandbox --base-url http://127.0.0.1:9/delivery/v1 --api-key-file HOME/key.txt'),
  step('profiles list'),
  step('profiles show acme'),
  step('profiles use acme'),
  step('profiles remove acme --yes'),
  step('deliveries get --help', { name: 'help' }),
]

/** Commands that are tried elsewhere, each with the place. */
export const elsewhere: Record<string, string> = {
  'profiles:trust': 'test/security/project-file.test.ts: it needs a project',
  'deliveries:results': 'test/bulk/shared-run.test.ts: it needs a run',
  'sandbox:play': 'test/scenarios/play.test.ts: what it took is never the same',
  mcp: 'test/commands/mcp.test.ts: it speaks with a client',
  report: 'test/commands/report.test.ts: it needs a history',
  tour: 'test/journeys/readme.test.ts compares its transcript with the README',
  'webhooks:test': 'test/commands/webhooks-tools.test.ts: its cases take their own time',
}
