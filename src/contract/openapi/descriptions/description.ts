/** A type and its fields, by their dotted path, where the general description of a field does not fit. */
export interface Description {
  /** The type itself. */
  self: string
  [path: string]: string
}

export type Descriptions = Readonly<Record<string, Description>>
