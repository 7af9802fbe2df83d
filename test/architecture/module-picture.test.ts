import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { layered } from '../../scripts/layered-graph.js'
import { modulePicture } from '../../scripts/module-picture.js'

const graphOf = (arrows: Record<string, string[]>) =>
  new Map(Object.entries(arrows).map(([name, targets]) => [name, new Set(targets)]))

describe('The picture of the modules', () => {
  it('shows the current imports (npm run picture)', () => {
    expect(modulePicture()).toBe(readFileSync('docs/modules.svg', 'utf8'))
  })

  it('leads every arrow down, around the modules between', () => {
    const { layers, routes } = layered(graphOf({ top: ['left', 'low'], left: ['bottom'], low: [], bottom: [] }))
    expect(layers).toEqual([['top'], ['left', 'top→low@1'], ['bottom', 'low']])
    expect(routes).toEqual([
      ['top', 'left'],
      ['top', 'top→low@1', 'low'],
      ['left', 'bottom'],
    ])
  })

  it('leaves out an arrow that a longer path implies', () => {
    const { routes } = layered(graphOf({ top: ['middle', 'bottom'], middle: ['bottom'], bottom: [] }))
    expect(routes).toEqual([
      ['top', 'middle'],
      ['middle', 'bottom'],
    ])
  })

  it('orders a layer so that arrows do not cross', () => {
    const { layers } = layered(graphOf({ a: ['z'], b: ['y'], y: [], z: [] }))
    expect(layers).toEqual([
      ['a', 'b'],
      ['z', 'y'],
    ])
  })

  it('cannot be drawn with a cycle', () => {
    expect(() => layered(graphOf({ a: ['b'], b: ['a'] }))).toThrow('a cycle of modules: a → b → a')
  })
})
