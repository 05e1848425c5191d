import { openAsBlob } from "node:fs";
import { WorkspaceError } from "@agent-workspace/client";
import { atOnce } from "./at-once.ts";
import { LocalProblem, reasonOf } from "./local-files.ts";
import { hashLocal, isSameStamp } from "./local-tree.ts";
import { AT_ONCE, survey, type Sides, type SurveyOptions, type Task } from "./survey.ts";
import { MAX_UPLOAD_BYTES, type Condition, type RemoteFile } from "./remote-files.ts";

/** Files up to this size are read many at once; they must be texts. */
const SMALL_BYTES = 128 * 1024;
/** Limits of one such request, well below those of the service. */
const BATCH_PATHS = 100;
const BATCH_BYTES = 4 * 1024 * 1024;
/** Files after which the record is written, so that a broken-off sync goes on from there. */
const RECORD_EVERY = 100;

export interface Outcome {
  readonly path: string;
  readonly action: "created" | "updated" | "deleted" | "kept" | "conflict" | "failed" | "skipped";
  readonly reason?: string;
}

export interface SyncOptions extends SurveyOptions {
  readonly dryRun: boolean;
  readonly report: (outcome: Outcome) => void;
}

type Report = (outcome: Outcome["action"], reason?: string) => void;

/**
 * Pulls or pushes. Each file is changed in one step, and only from the state in which it was seen. What fails for one file is
 * reported; what concerns the whole, as a lost sign-in, is thrown, after the record of what was done is written.
 */
export async function sync(sides: Sides, options: SyncOptions): Promise<void> {
  const tasks = await survey(sides, options);
  if (options.dryRun) {
    for (const task of tasks) preview(task, options.report);
    return;
  }
  await sides.files.clean();
  let done = 0;
  const run = async (task: Task) => {
    options.signal.throwIfAborted();
    await carryOut(sides, task, options);
    done += 1;
    if (done % RECORD_EVERY === 0) await sides.record.write();
  };
  try {
    const isPull = options.direction === "pull";
    const batches = isPull ? smallTasks(tasks) : [];
    const inBatches = new Set(batches.flat());
    await atOnce(AT_ONCE, batches, async (batch) => {
      await pullBatch(sides, batch, options, run);
      await sides.record.write();
    });
    await atOnce(
      AT_ONCE,
      tasks.filter((task) => !inBatches.has(task)),
      run,
    );
  } finally {
    await sides.record.write();
  }
}

function preview({ path, step }: Task, report: SyncOptions["report"]): void {
  const { action } = step;
  if (action === "create" || action === "update" || action === "delete")
    report({ path, action: DONE[action] });
  else reportRest(step, (rest, reason) => report(outcomeOf(path, rest, reason)));
}

const DONE = { create: "created", update: "updated", delete: "deleted" } as const;

function reportRest(step: Task["step"], report: Report): void {
  if (step.action === "keep") report("kept", step.reason);
  else if (step.action === "conflict") report("conflict", step.reason);
  else if (step.action === "skip") report("skipped", step.reason);
  else if (step.action === "fail") report("failed", step.reason);
}

function outcomeOf(path: string, action: Outcome["action"], reason?: string): Outcome {
  return { path, action, ...(reason !== undefined && { reason }) };
}

async function carryOut(sides: Sides, task: Task, options: SyncOptions): Promise<void> {
  const { path, step, local, remote } = task;
  const report: Report = (action, reason) => options.report(outcomeOf(path, action, reason));
  await reporting(report, async () => {
    const { action } = step;
    if (action === "create" || action === "update") {
      if (options.direction === "push") await push(sides, task, report);
      else await pull(sides, task, await sides.remote.open(path), report);
    } else if (action === "delete") {
      if (options.direction === "pull" && local) await sides.files.delete(path, local.stamp);
      else if (remote) await sides.remote.delete(path, remote.etag);
      sides.record.delete(path);
      report("deleted");
    } else if (action === "record" && local && remote) {
      sides.record.set(path, { hash: local.hash, etag: remote.etag, stamp: local.stamp });
    } else if (action === "forget") sides.record.delete(path);
    else reportRest(step, report);
  });
}

/** Reports what goes wrong with one file; throws everything else. */
async function reporting(report: Report, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    const reason = reasonOf(error);
    if (reason !== undefined) return report("failed", reason);
    if (!(error instanceof WorkspaceError)) throw error;
    if (error.status === 412) return report("conflict", "changed at the service meanwhile");
    if (error.status === 404) return report("failed", "gone at the service meanwhile");
    if (![400, 409, 413, 422].includes(error.status ?? 0)) throw error;
    report("failed", error.detail);
  }
}

async function pull(
  { files, record }: Sides,
  { path, local, remote }: Task,
  { etag, content }: { etag: string; content: AsyncIterable<Uint8Array> },
  report: Report,
): Promise<void> {
  const { temporary, hash } = await files.receive(content, limitOf(remote, etag));
  // Only the entity tag has changed: the local file stays as it is.
  const isSame = local?.hash === hash;
  const stamp = isSame ? local.stamp : await files.place(temporary, path, local?.stamp);
  if (isSame) await files.discard(temporary);
  record.set(path, { hash, etag, stamp });
  if (!isSame) report(local ? "updated" : "created");
}

/** A content is at most as long as the tree said, unless it is another one by now. */
function limitOf(remote: RemoteFile | undefined, etag: string): number {
  return remote && remote.etag === etag ? remote.size : Math.max(remote?.size ?? 0, MAX_UPLOAD_BYTES);
}

/** The files that are pulled with others in one request. */
function smallTasks(tasks: readonly Task[]): Task[][] {
  const batches: Task[][] = [];
  let batch: Task[] = [];
  let bytes = 0;
  for (const task of tasks) {
    const size = task.remote?.size ?? 0;
    const isPulled = task.step.action === "create" || task.step.action === "update";
    if (!isPulled || size > SMALL_BYTES) continue;
    if (batch.length === BATCH_PATHS || bytes + size > BATCH_BYTES) {
      batches.push(batch);
      batch = [];
      bytes = 0;
    }
    batch.push(task);
    bytes += size;
  }
  return [...batches, batch].filter(({ length }) => length > 1);
}

async function pullBatch(
  sides: Sides,
  batch: readonly Task[],
  options: SyncOptions,
  alone: (task: Task) => Promise<void>,
): Promise<void> {
  const texts = await sides.remote.readTexts(batch.map(({ path }) => path));
  for (const task of batch) {
    const text = texts.get(task.path);
    if (!text) await alone(task);
    else {
      const report: Report = (action, reason) => options.report(outcomeOf(task.path, action, reason));
      const content = one(text.content);
      await reporting(report, () => pull(sides, task, { etag: text.etag, content }, report));
    }
  }
}

async function* one(content: Uint8Array): AsyncGenerator<Uint8Array, void> {
  yield content;
}

async function push({ files, remote, record }: Sides, task: Task, report: Report): Promise<void> {
  const { path, local } = task;
  if (!local) return;
  if (local.stamp.size > MAX_UPLOAD_BYTES) {
    return report("failed", `larger than the ${MAX_UPLOAD_BYTES} bytes that the service takes`);
  }
  const absolute = files.absolute(path);
  // A blob of a file fails when the file changes while it is read.
  const content = await openAsBlob(absolute);
  const { hash, stamp } = await hashLocal(absolute);
  if (!isSameStamp(stamp, local.stamp)) throw new LocalProblem("changed here meanwhile");
  const condition: Condition = task.remote ? { etag: task.remote.etag } : "absent";
  try {
    const etag = await remote.write(path, content, condition);
    record.set(path, { hash, etag, stamp });
  } catch (error) {
    if (!(error instanceof WorkspaceError) || error.status !== 412) throw error;
    // A repeated request meets what the first one has written, whose answer was lost.
    const there = await remote.hash(path);
    if (there.hash !== hash) throw error;
    record.set(path, { hash, etag: there.etag, stamp });
  }
  report(task.remote ? "updated" : "created");
}
