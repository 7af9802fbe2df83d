import type { Plugin } from 'rolldown'

export function journalThread(): Plugin
