import { setTimeout as pause } from "node:timers/promises";
import {
  ConnectionError,
  NotFoundError,
  RateLimitError,
  ServerError,
  type Workspace,
} from "@agent-workspace/client";
import { textOf, type JsonObject } from "../json.ts";
import { advance, beginning, listedFrom, settle, type ListedTask } from "./ended-tasks.ts";
import { readPosition, writePosition, type Position } from "./position.ts";

/** Most tasks of one page. */
const PAGE = 200;

export interface ListenOptions {
  readonly workspace: Workspace;
  /** File of the position. */
  readonly file: string;
  readonly pollMs: number;
  readonly signal: AbortSignal;
  /** Called once the beginning is recorded: tasks that end from now on are told. */
  readonly began: () => void;
  /** Delivers a task's final status; resolves when it was taken, or given up. */
  readonly deliver: (id: string, status: JsonObject) => Promise<void>;
  /** Told of failures to reach the service, which pass. */
  readonly note: (problem: string) => void;
}

/** Follows the caller's tasks until the signal aborts, and delivers the final status of each at least once. */
export async function listen(options: ListenOptions): Promise<never> {
  const { workspace, file, signal, note } = options;
  let position = await patiently(
    options,
    async () => (await readPosition(file)) ?? (await begin(workspace, signal)),
  );
  // Changes of the position and its writes, one after the other.
  let written = writePosition(file, position);
  const change = (next: Position): Promise<void> => {
    position = next;
    written = written.then(() => writePosition(file, next));
    return written;
  };
  await written;
  options.began();
  const underWay = new Map<string, Promise<void>>();
  let failure: { error: unknown } | undefined;

  const deliver = async (id: string): Promise<void> => {
    try {
      const status = await finalStatus(workspace, id, signal);
      if (status === "unfinished") return;
      if (status) await options.deliver(id, status);
      await change(settle(position, id));
    } catch (error) {
      if (isPassing(error)) note(sentenceOf(error));
      else failure ??= { error };
    } finally {
      underWay.delete(id);
    }
  };
  try {
    for (;;) {
      const { recent, active } = await patiently(options, () => look(workspace, position, signal));
      const found = advance(position, recent, active);
      await change(found.position);
      for (const id of found.ended) if (!underWay.has(id)) underWay.set(id, deliver(id));
      await pause(options.pollMs, undefined, { signal }).catch(() => signal.throwIfAborted());
      if (failure) throw failure.error;
    }
  } finally {
    // What was taken is recorded, also when it is stopped now.
    await Promise.all(underWay.values());
    await written;
  }
}

async function begin(workspace: Workspace, signal: AbortSignal): Promise<Position> {
  const active = await listed(workspace, { active_only: "true" }, signal);
  const { items: newest } = await workspace.tasks.list({ limit: PAGE }, { signal });
  return beginning(newest, active);
}

async function look(workspace: Workspace, position: Position, signal: AbortSignal) {
  const since = listedFrom(position);
  const recent = await listed(workspace, since === undefined ? {} : { since }, signal);
  return { recent, active: await listed(workspace, { active_only: "true" }, signal) };
}

async function listed(
  workspace: Workspace,
  query: { since?: string; active_only?: "true" },
  signal: AbortSignal,
): Promise<ListedTask[]> {
  const found: ListedTask[] = [];
  for await (const task of workspace.tasks.all(query, { signal })) found.push(task);
  return found;
}

/** The status of an ended task; undefined for one that is gone or that the caller may no longer see. */
async function finalStatus(
  workspace: Workspace,
  id: string,
  signal: AbortSignal,
): Promise<JsonObject | "unfinished" | undefined> {
  try {
    const status = { ...(await workspace.tasks.get(id).status({ signal })) };
    return ["queued", "running"].includes(textOf(status, "status") ?? "") ? "unfinished" : status;
  } catch (error) {
    if (error instanceof NotFoundError) return undefined;
    throw error;
  }
}

/** Repeats what fails because the service cannot be reached: it comes back. */
async function patiently<T>({ pollMs, signal, note }: ListenOptions, act: () => Promise<T>): Promise<T> {
  for (let failures = 1; ; failures += 1) {
    try {
      return await act();
    } catch (error) {
      if (!isPassing(error)) throw error;
      if (failures === 1) note(`${sentenceOf(error)}; trying on`);
      await pause(Math.min(pollMs * 2 ** failures, 30_000), undefined, { signal }).catch(() =>
        signal.throwIfAborted(),
      );
    }
  }
}

function isPassing(error: unknown): boolean {
  return error instanceof ConnectionError || error instanceof ServerError || error instanceof RateLimitError;
}

function sentenceOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
