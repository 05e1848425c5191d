/** Why the service cannot start, as lines for the operator; each names what to change. */
export class StartError extends Error {
  readonly lines: readonly string[];

  constructor(lines: readonly string[], options?: ErrorOptions) {
    super(lines.join("\n"), options);
    this.lines = lines;
  }
}
