import { setTimeout as pause } from "node:timers/promises";
import type { Workspace } from "@agent-workspace/client";
import { CommandError } from "../errors.ts";
import { EXIT } from "../exit-codes.ts";

/** Longest that a project takes to start, in milliseconds. */
const START_MS = 180_000;
const START_POLL_MS = 500;

/** Starts the project where it does not run, and resolves when its programs can run. */
export async function startProject(
  workspace: Workspace,
  project: string,
  signal?: AbortSignal,
): Promise<void> {
  const path = { project };
  const latest = Date.now() + START_MS;
  for (let isAsked = false; ; isAsked = true) {
    const { state } = await workspace.request("GET", "/api/projects/{project}/status", { path, signal });
    if (state === "running") return;
    if (!isAsked) await workspace.request("POST", "/api/projects/{project}/start", { path, signal });
    if (Date.now() > latest) throw new CommandError(EXIT.timeout, "timeout", "The project does not start");
    await pause(START_POLL_MS, undefined, { signal }).catch(() => signal?.throwIfAborted());
  }
}
