import path from "node:path";
import type { Context } from "../../context.ts";
import { command } from "../../command.ts";
import { CommandError, stopped, UsageError } from "../../errors.ts";
import { EXIT } from "../../exit-codes.ts";
import { onInterrupt } from "../../input/interrupts.ts";
import { dim, green, red, yellow } from "../../output/styles.ts";
import { linkOf, openService, projectIdOf, type Service } from "../../service.ts";
import { LocalFiles } from "../../sync/local-files.ts";
import { problemOfPath } from "../../sync/paths.ts";
import type { Direction } from "../../sync/plan.ts";
import { SyncRecord } from "../../sync/record.ts";
import { RemoteFiles } from "../../sync/remote-files.ts";
import { sync, type Outcome } from "../../sync/sync.ts";

const ARGS = {
  path: { type: "positional", required: false, description: "Only this file or folder" },
  project: { type: "string", alias: "p", description: "Id or slug of the project" },
  "dry-run": { type: "boolean", alias: "n", description: "Only tell what would be done" },
  delete: { type: "boolean", description: "Delete what was deleted on the other side" },
} as const;

export const pull = command("pull", {
  description: "Bring the project's files into this folder",
  args: {
    ...ARGS,
    force: { type: "boolean", description: "Where both sides have changed, take the service's file" },
  },
  run: (context, args) => run(context, "pull", wishOf(args)),
});

export const push = command("push", {
  description: "Send this folder's files to the project",
  args: {
    ...ARGS,
    force: { type: "boolean", description: "Where both sides have changed, send this folder's file" },
  },
  run: (context, args) => run(context, "push", wishOf(args)),
});

interface Input {
  readonly path: string | undefined;
  readonly project: string | undefined;
  readonly dryRun: boolean;
  readonly delete: boolean;
  readonly force: boolean;
}

function wishOf(args: {
  path?: string | undefined;
  project?: string | undefined;
  "dry-run"?: boolean | undefined;
  delete?: boolean | undefined;
  force?: boolean | undefined;
}): Input {
  const { path: named, project } = args;
  return {
    path: named,
    project,
    dryRun: args["dry-run"] === true,
    delete: args.delete === true,
    force: args.force === true,
  };
}

async function run(context: Context, direction: Direction, wish: Input): Promise<void> {
  const service = await openService(context);
  const { root, projectId } = await placeOf(context, service, wish.project);
  const within = withinOf(context.folder, root, wish.path);
  const control = new AbortController();
  const release = onInterrupt(() => control.abort(stopped()));
  try {
    const record = await SyncRecord.read(root, { service: service.address, projectId });
    const remote = new RemoteFiles(service.workspace, projectId, control.signal);
    const counts = new Map<Outcome["action"], number>();
    await sync(
      { root, files: new LocalFiles(root), remote, record },
      {
        direction,
        within,
        platform: process.platform,
        delete: wish.delete,
        force: wish.force,
        dryRun: wish.dryRun,
        signal: control.signal,
        report: (outcome) => {
          counts.set(outcome.action, (counts.get(outcome.action) ?? 0) + 1);
          show(context, outcome, wish.dryRun);
        },
      },
    );
    summarise(context, counts, wish.dryRun);
  } finally {
    release();
  }
}

/** The folder that is synced: the linked one, or the one in which the command was called. */
async function placeOf(context: Context, service: Service, named: string | undefined) {
  const projectId = await projectIdOf(context, service, named);
  const link = await linkOf(context, service);
  return { root: link?.projectId === projectId ? link.folder : context.folder, projectId };
}

/** The named path, relative to the folder that is synced. */
function withinOf(folder: string, root: string, named: string | undefined): string {
  if (named === undefined) return "";
  const relative = path.relative(root, path.resolve(folder, named)).split(path.sep).join("/");
  if (relative === "") return "";
  if (problemOfPath(relative) !== undefined || path.isAbsolute(relative)) {
    throw new UsageError(`${named} is not a path in ${root} that can be synced`);
  }
  return relative;
}

const MARKS = {
  created: green("+"),
  updated: yellow("~"),
  deleted: red("-"),
  kept: dim("="),
  skipped: dim("="),
  conflict: red("!"),
  failed: red("!"),
} as const;

/** What is done is data; what is not done is told beside it. */
function show({ output }: Context, { path: file, action, reason }: Outcome, dryRun: boolean): void {
  if (output.json) return output.record({ path: file, action, reason: reason ?? null, dry_run: dryRun });
  const parts = [MARKS[action], ` ${file}`, ...(reason === undefined ? [] : [dim(`  ${action}: ${reason}`)])];
  if (reason === undefined) output.print(...parts);
  else output.note(...parts);
}

function summarise(
  { output }: Context,
  counts: ReadonlyMap<Outcome["action"], number>,
  dryRun: boolean,
): void {
  const told = [...counts].map(([action, count]) => `${count} ${action}`).join(", ");
  if (!output.json) output.aside(`${dryRun ? "Would be: " : ""}${told || "Nothing to do"}`);
  const [conflicts, failures] = [counts.get("conflict") ?? 0, counts.get("failed") ?? 0];
  if (conflicts > 0) {
    throw new CommandError(
      EXIT.failed,
      "conflict",
      `${conflicts === 1 ? "1 file was" : `${conflicts} files were`} left as they are on both sides`,
      "`workspace files cat PATH` shows the other version; --force takes this command's side.",
    );
  }
  if (failures > 0) {
    throw new CommandError(EXIT.failed, "failed", `${failures} ${failures === 1 ? "file" : "files"} failed`);
  }
}
