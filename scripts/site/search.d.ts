import type MiniSearch from 'minisearch'
import type { Options, SearchResult } from 'minisearch'

export const indexed: Options
export function search<Section>(index: MiniSearch<Section>, words: string): (SearchResult & Section)[]
