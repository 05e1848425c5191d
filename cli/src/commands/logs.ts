import { setTimeout as pause } from "node:timers/promises";
import { command } from "../command.ts";
import type { Context } from "../context.ts";
import { CommandError } from "../errors.ts";
import { EXIT } from "../exit-codes.ts";
import { durationMs } from "../input/duration.ts";
import { openService, projectOf, UUID, type Service } from "../service.ts";
import { followTask, requireCompleted } from "../tasks/follow-task.ts";
import { showTaskSoFar } from "../tasks/show-so-far.ts";

const POLL_MS = 1_000;

export const logs = command("logs", {
  description: "Show what a task did, or what a container wrote",
  args: {
    of: { type: "positional", description: "Id of a task, or name of a container" },
    follow: { type: "boolean", alias: "f", description: "Go on with what comes" },
    after: { type: "string", description: "Only events after this one, of a task" },
    lines: { type: "string", default: "100", description: "Last lines to begin with, of a container" },
    timeout: { type: "string", description: "Longest time to follow, as 90s or 5m" },
    project: { type: "string", alias: "p", description: "Id or slug of the container's project" },
  },
  async run(context, args) {
    const service = await openService(context);
    const timeoutMs = args.timeout === undefined ? undefined : durationMs(args.timeout);
    if (!UUID.test(args.of)) {
      const project = await projectOf(context, service, args.project);
      const wish = {
        project,
        name: args.of,
        lines: Number(args.lines),
        follow: args.follow === true,
        timeoutMs,
      };
      return showContainer(context, service, wish);
    }
    const after = args.after === undefined ? undefined : Number(args.after);
    if (!args.follow) return showTaskSoFar(context, service, { taskId: args.of, after });
    requireCompleted(
      await followTask(context, service, { taskId: args.of, isShown: true, after, timeoutMs }),
    );
  },
});

interface ContainerInput {
  readonly project: string;
  readonly name: string;
  readonly lines: number;
  readonly follow: boolean;
  readonly timeoutMs: number | undefined;
}

async function showContainer(context: Context, { workspace }: Service, wish: ContainerInput): Promise<void> {
  const { project, name, lines, follow, timeoutMs } = wish;
  const containers = await workspace.request("GET", "/api/projects/{project}/containers", {
    path: { project },
  });
  const container = containers.find((each) => each.name === name || each.id === name);
  if (!container) {
    const names = containers.map((each) => each.name).join(", ") || "none";
    throw new CommandError(
      EXIT.notFound,
      "not_found",
      `There is no container ${name}`,
      `The project has: ${names}.`,
    );
  }
  const latest = timeoutMs === undefined ? Number.POSITIVE_INFINITY : Date.now() + timeoutMs;
  let shown: readonly string[] = [];
  for (;;) {
    const found = await workspace.request("GET", "/api/projects/{project}/containers/{container}/logs", {
      path: { project, container: container.id },
      query: { lines },
    });
    for (const line of linesAfter(shown, found.logs)) context.output.show({ log: line }, line);
    shown = found.logs;
    if (!follow) return;
    if (Date.now() > latest) throw new CommandError(EXIT.timeout, "timeout", "The time is over");
    await pause(POLL_MS);
  }
}

/** The lines that came since: the last lines are asked for, which overlap with those before. */
export function linesAfter(before: readonly string[], now: readonly string[]): readonly string[] {
  for (let skipped = 0; skipped < before.length; skipped += 1) {
    const known = before.slice(skipped);
    if (known.length <= now.length && known.every((line, index) => line === now[index])) {
      return now.slice(known.length);
    }
  }
  return now;
}
