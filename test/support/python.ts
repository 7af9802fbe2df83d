import { spawnSync } from 'node:child_process'
import { delimiter, dirname } from 'node:path'

/** A version manager's `python3` is a script that looks for Python at each start: what it finds comes first on the PATH. */
export default function setup(): void {
  const { status, stdout } = spawnSync('python3', ['-c', 'import sys; print(sys.executable)'], { encoding: 'utf8' })
  const [folder, path = ''] = [dirname(stdout ?? ''), process.env.PATH]
  if (status === 0 && !path.split(delimiter).includes(folder)) process.env.PATH = `${folder}${delimiter}${path}`
}
