import { visible } from "@agent-workspace/client";
import { jsonLine } from "./foreign-text.ts";
import { dim, render, type Part } from "./styles.ts";
import { table, type Column } from "./table.ts";

/** A stream as the output needs it: standard output and standard error. */
export interface Stream {
  readonly isTTY?: boolean;
  write(text: string | Uint8Array): boolean;
  once(event: "drain", listener: () => void): unknown;
}

interface OutputOptions {
  readonly json: boolean;
  readonly stdout: Stream;
  readonly stderr: Stream;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** False for `--no-color`. */
  readonly color?: boolean;
}

/** Data goes to standard output, everything else to standard error. All text is made visible on its way. */
export class Output {
  /** Whether data and errors are lines of JSON. */
  readonly json: boolean;
  readonly #stdout: Stream;
  readonly #stderr: Stream;
  readonly #decoder = new TextDecoder();
  readonly #colours: { out: boolean; error: boolean };

  constructor({ json, stdout, stderr, environment, color = true }: OutputOptions) {
    this.json = json;
    this.#stdout = stdout;
    this.#stderr = stderr;
    const wished = color && !environment["NO_COLOR"] && environment["TERM"] !== "dumb";
    this.#colours = { out: wished && stdout.isTTY === true, error: wished && stderr.isTTY === true };
  }

  /** Whether standard output is a terminal. */
  get isTerminal(): boolean {
    return this.#stdout.isTTY === true;
  }

  /** One result: a line of JSON, or lines of text. */
  show(value: unknown, text: (() => readonly (readonly Part[])[]) | string): void {
    if (this.json) this.record(value);
    else if (typeof text === "string") this.print(text);
    else for (const line of text()) this.print(...line);
  }

  /** Several results: a line of JSON for each, or a table; `none` is told when there are none. */
  list<T>(items: readonly T[], columns: readonly Column<T>[], none: string): void {
    if (this.json) for (const item of items) this.record(item);
    else if (items.length === 0) this.note(none);
    else for (const line of table(items, columns)) this.print(...line);
  }

  /** A line of JSON. */
  record(value: unknown): void {
    this.#stdout.write(`${jsonLine(value)}\n`);
  }

  /** A line of data. */
  print(...parts: readonly Part[]): void {
    this.#stdout.write(`${render(parts, this.#colours.out)}\n`);
  }

  /** Data without a line feed behind it, as text that still comes. */
  printPart(...parts: readonly Part[]): void {
    this.#stdout.write(render(parts, this.#colours.out));
  }

  /** Bytes as they are, for a file or a program; a terminal gets them visible. Resolves when there is room for more. */
  async bytes(bytes: Uint8Array): Promise<void> {
    const text = this.isTerminal ? visible(this.#decoder.decode(bytes, { stream: true })) : bytes;
    if (!this.#stdout.write(text)) await new Promise<void>((resolve) => this.#stdout.once("drain", resolve));
  }

  /** A line on standard error: what happens meanwhile, and what to do next. */
  note(...parts: readonly Part[]): void {
    this.#stderr.write(`${render(parts, this.#colours.error)}\n`);
  }

  /** As `note`, without a line feed. */
  notePart(...parts: readonly Part[]): void {
    this.#stderr.write(render(parts, this.#colours.error));
  }

  /** A note that matters less. */
  aside(text: string): void {
    this.note(dim(text));
  }

  /** A line of JSON on standard error. */
  recordError(value: unknown): void {
    this.#stderr.write(`${jsonLine(value)}\n`);
  }
}
