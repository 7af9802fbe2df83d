type Given<T> = { [Name in keyof T]?: Exclude<T[Name], undefined> }

/** The members that were given: a member left out must not overwrite. */
export function given<T extends object>(change: T): Given<T> {
  return Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined)) as Given<T>
}
