import type { ChildProcess } from 'node:child_process'
import type { Writable } from 'node:stream'
import { type Ended, type Launched, launchedProcess, outcomeOf } from './running-program.js'

/** A program that asks a person on a terminal. */
export interface Asking {
  type(keys: string): void
  /** Everything the screen was sent. */
  screen(): string
  /** Resolves once the screen shows a text; fails if the program ends before. */
  shows(text: string): Promise<void>
  ended: Promise<Ended>
}

/** A program on a terminal of its own that is still running. */
export interface OnTerminal extends Asking {
  /** Makes the terminal this large, as a person does who drags its corner. */
  resize(columns: number, rows: number): void
  /** Sends the program a signal. */
  signal(name: NodeJS.Signals): void
}

/** Follows what a screen is sent, from now on; `words` name the program where it disappoints. */
export function askingOf(launched: Launched, keys: Writable | null, words: readonly string[]): Asking {
  let screen = ''
  let isOver = false
  let wake: () => void = () => {}
  const ended = outcomeOf(launched)
  launched.stdout.on('data', (text: string) => {
    screen += text
    wake()
  })
  void ended.then(() => {
    isOver = true
    wake()
  })
  return {
    ended,
    type: (typed) => void keys?.write(typed),
    screen: () => screen,
    async shows(text) {
      while (!screen.includes(text)) {
        if (isOver) throw new Error(`dlv ${words.join(' ')} ended without showing "${text}": ${screen}`)
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
    },
  }
}

export function onTerminalOf(child: ChildProcess, words: readonly string[]): OnTerminal {
  return {
    ...askingOf(launchedProcess(child), child.stdin, words),
    resize: (columns, rows) => void child.stdin?.write(`\u0000${columns} ${rows}\n`),
    signal: (name) => void child.kill(name),
  }
}

/** What is sent last if a program has not left its terminal as it found it. */
export const terminalChanged = 'THE TERMINAL IS NOT AS IT WAS'

/**
 * Runs a command on a pseudo-terminal of the given width, types some keys, and passes on what the screen is sent. A line
 * of standard input that begins with NUL resizes it.
 */
export const terminal = `
import fcntl, os, pty, select, signal, struct, sys, termios
columns, keys, command = int(sys.argv[1]), sys.argv[2], sys.argv[3:]
screen, shown = pty.openpty()
def resize(columns, rows):
    fcntl.ioctl(screen, termios.TIOCSWINSZ, struct.pack('HHHH', rows, columns, 0, 0))
resize(columns, 40)
modes = termios.tcgetattr(screen)
pid = os.fork()
if pid == 0:
    os.close(screen)
    os.login_tty(shown)
    os.execvp(command[0], command)
os.close(shown)
signal.signal(signal.SIGTERM, lambda number, frame: os.kill(pid, number))
if keys:
    os.write(screen, keys.encode())
sources = [screen, 0]
while True:
    ready = select.select(sources, [], [])[0]
    if 0 in ready:
        typed = os.read(0, 65536)
        if not typed:
            sources.remove(0)
        while typed[:1] == b'\\0':
            size, typed = typed[1:].split(b'\\n', 1)
            resize(*map(int, size.split()))
        os.write(screen, typed)
    if screen not in ready:
        continue
    try:
        data = os.read(screen, 65536)
    except OSError:
        break
    if not data:
        break
    os.write(1, data)
status = os.waitpid(pid, 0)[1]
if termios.tcgetattr(screen) != modes:
    os.write(1, b'${terminalChanged}')
sys.exit(os.waitstatus_to_exitcode(status) & 255)
`
