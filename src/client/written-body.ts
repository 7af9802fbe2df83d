/** A request's body whose JSON is known already, so that it is not written again. */
export class WrittenBody {
  constructor(
    readonly text: string,
    /** Gives the value that the text was written from. */
    readonly value: () => unknown,
  ) {}
}
