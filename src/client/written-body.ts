/** A request's body whose JSON is known already, so that it is not written again. */
export class WrittenBody {
  constructor(
    readonly value: unknown,
    readonly text: string,
  ) {}
}
