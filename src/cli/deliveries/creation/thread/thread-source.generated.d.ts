/** The program of the thread, which the build puts here: `thread.ts` in one piece. */
export const threadSource: string
