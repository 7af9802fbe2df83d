/** Posts to a route and reads the screen again; resolves with what to say. */
export type Act = (path: string, body: object) => Promise<string>
