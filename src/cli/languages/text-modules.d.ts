/** Examples of other languages, which the bundler turns into their texts. */
declare module '*.go' {
  const text: string
  export default text
}
declare module '*.java' {
  const text: string
  export default text
}
declare module '*.php' {
  const text: string
  export default text
}
declare module '*.py' {
  const text: string
  export default text
}
declare module '*.rb' {
  const text: string
  export default text
}
