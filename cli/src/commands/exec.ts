import { command } from "../command.ts";
import { CommandError, stopped, UsageError } from "../errors.ts";
import { EXIT } from "../exit-codes.ts";
import { programOutput, sessionCommand } from "../exec/command-line.ts";
import { runSession } from "../exec/run-session.ts";
import { durationMs } from "../input/duration.ts";
import { onInterrupt } from "../input/interrupts.ts";
import { openService, projectIdOf } from "../service.ts";

export const exec = command("exec", {
  description: "Run a command in the project: workspace exec -- npm test",
  hasRest: true,
  args: {
    cwd: { type: "string", description: "Folder of the project in which it starts" },
    timeout: { type: "string", description: "Longest time that it runs, as 90s or 5m" },
    project: { type: "string", alias: "p", description: "Id or slug of the project" },
  },
  async run(context, args) {
    const words = args._;
    if (words.length === 0) throw new UsageError("Which command?", "workspace exec -- npm test");
    const line = sessionCommand(words, args.cwd);
    const timeoutMs = args.timeout === undefined ? undefined : durationMs(args.timeout);
    const service = await openService(context);
    const project = await projectIdOf(context, service, args.project);

    const control = new AbortController();
    const release = onInterrupt(() => control.abort(stopped()));
    const timer =
      timeoutMs === undefined
        ? undefined
        : setTimeout(
            () => control.abort(new CommandError(EXIT.timeout, "timeout", "The time is over")),
            timeoutMs,
          );
    const { output } = context;
    const shown = programOutput();
    const show = async (bytes: Uint8Array, isLast = false) => {
      const own = shown(bytes, isLast);
      if (own.length === 0) return;
      if (output.json) output.record({ output: Buffer.from(own).toString("base64") });
      else await output.bytes(own);
    };
    try {
      const code = await runSession(service.workspace, {
        project,
        command: line,
        signal: control.signal,
        show,
      });
      await show(new Uint8Array(), true);
      if (output.json) output.record({ exit_code: code });
      process.exitCode = code;
    } finally {
      clearTimeout(timer);
      release();
    }
  },
});
