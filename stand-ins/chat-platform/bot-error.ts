/** A call that the Bot API refuses. */
export class BotError extends Error {
  readonly code: number;
  readonly parameters: Readonly<Record<string, number>> | undefined;

  constructor(code: number, description: string, parameters?: Readonly<Record<string, number>>) {
    super(description);
    this.code = code;
    this.parameters = parameters;
  }
}

export function badRequest(what: string): BotError {
  return new BotError(400, `Bad Request: ${what}`);
}
