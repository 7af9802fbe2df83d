import type { Plugin } from 'rolldown'

export function threadSources(): Plugin
