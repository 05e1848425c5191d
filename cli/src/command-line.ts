import { stripVTControlCharacters } from "node:util";
import { renderUsage, runCommand, type CommandDef } from "citty";
import { commands } from "./commands/index.ts";
import { UsageError } from "./errors.ts";
import { EXIT } from "./exit-codes.ts";
import { installInterrupts } from "./input/interrupts.ts";
import { Output } from "./output/output.ts";
import { report } from "./report.ts";
import { valueOf } from "./resolvable.ts";

/** Runs the command that the arguments name, and ends the process with its exit code. */
export async function runCommandLine(args: readonly string[]): Promise<void> {
  for (const stream of [process.stdout, process.stderr]) stream.on("error", endIfUnread);
  installInterrupts(() => process.exit(EXIT.stopped));
  try {
    await dispatch(args);
    await drained();
    process.exit();
  } catch (error) {
    // The arguments may be what is wrong: only these two words count.
    const words = beforeDashes(args);
    const [json, color] = [words.includes("--json"), !words.includes("--no-color")];
    const { stdout, stderr, env: environment } = process;
    const output = new Output({ json, color, stdout, stderr, environment });
    const code = report(error, output);
    await drained();
    process.exit(code);
  }
}

async function dispatch(args: readonly string[]): Promise<void> {
  const { command, path, rest } = await find(args);
  const wantsHelp = beforeDashes(rest).some((arg) => arg === "--help" || arg === "-h");
  if (wantsHelp) return process.stdout.write(`${await usageOf(command, path)}\n`) ? undefined : drained();
  if (command.subCommands) {
    const usage = await usageOf(command, path);
    throw new UsageError(path.length === 0 ? "Which command?" : `${path.join(" ")}: which one?`, usage);
  }
  await runCommand(command, { rawArgs: [...rest] });
}

interface Found {
  readonly command: CommandDef;
  /** The words that led to it. */
  readonly path: readonly string[];
  /** Its own arguments. */
  readonly rest: readonly string[];
}

/** Options before a command's name are the command's own. */
async function find(args: readonly string[]): Promise<Found> {
  let command = commands;
  const path: string[] = [];
  const options: string[] = [];
  let rest = [...args];
  for (;;) {
    const inside = await valueOf(command.subCommands);
    if (!inside) break;
    const before = optionsBefore(rest);
    options.push(...rest.slice(0, before));
    rest = rest.slice(before);
    const [word] = rest;
    const isName = word !== undefined && Object.hasOwn(inside, word);
    const name = isName ? word : await valueOf(command.default);
    if (word !== undefined && !isName && word !== "--" && name === undefined) {
      throw new UsageError(
        `There is no command ${[...path, word].join(" ")}`,
        "`workspace --help` lists them.",
      );
    }
    const next = name === undefined ? undefined : await valueOf(inside[name]);
    if (!next || (name !== word && options.some((each) => each === "--help" || each === "-h"))) break;
    if (isName) {
      path.push(word);
      rest = rest.slice(1);
    }
    command = next;
  }
  return { command, path, rest: [...options, ...rest] };
}

/** How many of the arguments are global options, before a command's name. */
function optionsBefore(args: readonly string[]): number {
  let count = 0;
  for (let arg = args[count]; arg?.startsWith("-") && arg !== "--"; arg = args[count]) {
    count += arg === "--url" ? 2 : 1;
  }
  return Math.min(count, args.length);
}

async function usageOf(command: CommandDef, path: readonly string[]): Promise<string> {
  const parent = { meta: { name: ["workspace", ...path.slice(0, -1)].join(" ") } };
  const usage = await renderUsage(command, path.length === 0 ? undefined : parent);
  return stripVTControlCharacters(usage);
}

function beforeDashes(args: readonly string[]): string[] {
  const at = args.indexOf("--");
  return at === -1 ? [...args] : args.slice(0, at);
}

/** Resolves when all output was handed over: `process.exit` does not wait for a pipe. */
async function drained(): Promise<void> {
  for (const stream of [process.stdout, process.stderr]) {
    if (!stream.writableEnded) await new Promise<void>((resolve) => void stream.write("", () => resolve()));
  }
}

/** The reader of a pipe has left, as `head` does when it has enough. */
function endIfUnread(error: Error): void {
  if ("code" in error && error.code === "EPIPE") process.exit(EXIT.ok);
  throw error;
}
