import { readFile } from "node:fs/promises";
import { buffer } from "node:stream/consumers";
import { stopped, UsageError } from "../errors.ts";
import { visibleLine } from "@agent-workspace/client";
import { isMissing } from "../session/private-file.ts";

/** What a person can choose. */
export interface Choice<T> {
  readonly value: T;
  readonly label: string;
  readonly hint?: string;
}

/** Questions to the person at the terminal. Without one, and with `--no-input`, nothing is asked. */
export class Input {
  readonly canAsk: boolean;

  constructor(options: { noInput: boolean; stdin: { isTTY?: boolean }; stderr: { isTTY?: boolean } }) {
    this.canAsk = !options.noInput && options.stdin.isTTY === true && options.stderr.isTTY === true;
  }

  /** Asks before something is lost. Throws `UsageError` when nothing may be asked: the caller names `--yes`. */
  async confirm(question: string, { yes }: { yes: boolean }): Promise<void> {
    if (yes) return;
    if (!this.canAsk) throw new UsageError(`${question} Confirm with --yes`);
    const { confirm } = await import("@clack/prompts");
    const answer = await confirm({
      message: visibleLine(question),
      initialValue: false,
      output: process.stderr,
    });
    if (answer !== true) throw stopped();
  }

  /** One of several. Throws `UsageError`, with `otherwise`, when nothing may be asked. */
  async choose<T>(question: string, choices: readonly Choice<T>[], otherwise: string): Promise<T> {
    if (!this.canAsk) throw new UsageError(otherwise);
    const { select } = await import("@clack/prompts");
    const at = await select({
      message: visibleLine(question),
      options: choices.map(({ label, hint }, index) => ({
        value: index,
        label: visibleLine(label),
        ...(hint !== undefined && { hint: visibleLine(hint) }),
      })),
      maxItems: 12,
      output: process.stderr,
    });
    const chosen = typeof at === "number" ? choices[at] : undefined;
    if (!chosen) throw stopped();
    return chosen.value;
  }
}

/** A value of an option: `@file` is the file's content, `-` is standard input. Throws `UsageError` for a file that is missing. */
export async function readValue(value: string): Promise<Uint8Array> {
  if (value === "-") return buffer(process.stdin);
  if (!value.startsWith("@")) return new TextEncoder().encode(value);
  try {
    return await readFile(value.slice(1));
  } catch (error) {
    if (isMissing(error)) throw new UsageError(`There is no file ${value.slice(1)}`);
    throw error;
  }
}
