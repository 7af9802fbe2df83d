/** The files of the page by name, which the build puts here: texts, compressed by Brotli, as base64. */
export const pageFiles: Readonly<Record<string, string>>
