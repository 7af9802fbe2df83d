/** The files of the page by name, which the build puts here: text for scripts, styles and data. */
export const pageFiles: Readonly<Record<string, string>>
