import { spawn } from "node:child_process";
import type { CommandDef } from "citty";
import { command } from "../../command.ts";
import { UsageError } from "../../errors.ts";
import { candidates } from "./candidates.ts";
import { cachedNames, refreshNames } from "./names.ts";
import { SCRIPTS } from "./scripts.ts";

/** Names older than this are asked for again, for the next time. */
const FRESH_MS = 30_000;

export const completion = command("completion", {
  description: "Print a shell's completion, as `source <(workspace completion bash)`",
  args: { shell: { type: "positional", description: "bash, zsh or fish" } },
  async run(context, { shell }) {
    const script = shell === "bash" || shell === "zsh" || shell === "fish" ? SCRIPTS[shell] : undefined;
    if (script === undefined)
      throw new UsageError(`There is no completion for ${shell}: only bash, zsh and fish`);
    context.output.show({ shell, script }, script.trimEnd());
  },
});

/**
 * The command that the shells call: the words behind `--` are those on the line, the last one to be completed. `root` has all
 * commands.
 */
export const completeWith = (root: CommandDef): CommandDef =>
  command("__complete", {
    description: "Print the words that may come",
    isHidden: true,
    hasRest: true,
    args: { refresh: { type: "boolean", description: "Ask the service for its names" } },
    async run(context, args) {
      if (args.refresh) return refreshNames(context);
      const names = async () => {
        const cached = await cachedNames(context);
        if (cached.age > FRESH_MS) refreshLater();
        return cached;
      };
      for (const each of await candidates(root, args._, names)) context.output.print(each);
    },
  });

/** In a process of its own: the shell waits for this one. */
function refreshLater(): void {
  const [, program = ""] = process.argv;
  spawn(process.execPath, [...process.execArgv, program, "__complete", "--refresh"], {
    detached: true,
    stdio: "ignore",
  }).unref();
}
