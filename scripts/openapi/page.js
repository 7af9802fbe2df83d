import { readFileSync } from 'node:fs'

/** The sections of `docs/openapi.md` as a person follows them: commands, files to write, a program and its output. */
export function sectionsOf(file) {
  return readFileSync(file, 'utf8')
    .split(/^## /m)
    .slice(1)
    .map((section) => ({
      title: section.split('\n', 1)[0],
      commands: blocks(section, 'console').flatMap((block) =>
        [...block.matchAll(/^\$ (.+)$/gm)].map(([, line]) => line),
      ),
      files: blocks(section, 'js').map((text) => ({ name: /^\/\/ (\S+)\n/.exec(text)[1], text })),
      program: blocks(section, 'ts')[0],
      output: blocks(section, 'text')[0],
    }))
}

/** The packages that the sections install. */
export function packagesOf(sections) {
  const installs = sections.flatMap(({ commands }) => commands.filter(isInstall))
  return [
    ...new Set(
      installs.flatMap((line) =>
        line
          .split(' ')
          .slice(2)
          .filter((word) => !word.startsWith('--')),
      ),
    ),
  ]
}

export function isInstall(command) {
  return command.startsWith('npm install ')
}

function blocks(section, language) {
  return [...section.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(([, text]) => text)
}
