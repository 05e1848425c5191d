/** A body that is not what the call takes. Each wire says so in its own form. */
export class InvalidBody extends Error {
  /** 413 for one that is too large. */
  readonly status: 400 | 413;

  constructor(message: string, status: 400 | 413 = 400) {
    super(message);
    this.name = "InvalidBody";
    this.status = status;
  }
}
