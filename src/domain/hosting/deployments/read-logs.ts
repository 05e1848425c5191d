import { dataOfChange } from "./announce.ts";
import { LastingAccess, type StoredCaller } from "#src/domain/access/permissions/index.ts";
import { AppError } from "#src/lib/errors.ts";
import type { LoggedEvent } from "#src/lib/server-sent-events.ts";
import type { Db } from "#src/platform/db/client.ts";
import { lastLineOf, MAX_LINES } from "./queries/logs.ts";
import type { DeploymentEvent } from "#src/wire/streams.ts";
import { deploymentOf, isUnfinished, linesAfter, type Deployment } from "./queries/requests.ts";
import { requireDeployment } from "./require-deployment.ts";

/** A deployment's log, oldest line first. */
export async function readLogs(deps: { db: Db }, deploymentId: string): Promise<string[]> {
  const lines = await linesAfter(deps.db, deploymentId, { after: 0, limit: MAX_LINES });
  return lines.map(({ text }) => text);
}

/** Interval at which a followed log is read. */
const LOOK_MS = 1_000;
/** Interval of comments that keep a quiet connection open. */
const HEARTBEAT_MS = 15_000;
const PAGE = 500;

/**
 * Follows a deployment: its log after a line, numbered from 1, its changes of state, and, when it is over, `done`, whose
 * number follows that of the last line. Throws when the access has ended, or the deployment is deleted.
 */
export async function* followDeployment(
  deps: { db: Db },
  { standing, checkMs }: { standing: StoredCaller; checkMs: number },
  id: string,
  after: number,
): AsyncGenerator<LoggedEvent | "heartbeat", void, undefined> {
  const access = new LastingAccess(deps, standing, {
    forMs: checkMs,
    check: (caller) => requireDeployment(deps, caller, id, "deployment.view"),
  });
  // Lines have smaller numbers.
  let last = Math.min(after, MAX_LINES + 1);
  let shown = "";
  let heardAt = Date.now();
  for (;;) {
    await access.hold();
    // Read first: lines that follow the end of the deployment are not missed.
    const deployment = await deploymentOf(deps.db, id);
    if (!deployment) throw new AppError("not_found", "The deployment was deleted");
    for (let more = true; more;) {
      const lines = await linesAfter(deps.db, deployment.id, { after: last, limit: PAGE });
      for (const { line, text } of lines) {
        last = line;
        yield { id: line, type: "log", data: lineOf({ type: "log", line, text }) };
      }
      more = lines.length === PAGE;
      if (lines.length > 0) heardAt = Date.now();
    }
    const state = lineOf(dataOfChange(deployment));
    if (state !== shown) {
      shown = state;
      heardAt = Date.now();
      yield { id: last, type: "status", data: state };
    }
    if (!isUnfinished(deployment)) {
      yield { id: last + 1, type: "done", data: lineOf({ ...dataOfChange(deployment), type: "done" }) };
      return;
    }
    if (Date.now() - heardAt >= HEARTBEAT_MS) {
      heardAt = Date.now();
      yield "heartbeat";
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

const lineOf = (event: DeploymentEvent) => JSON.stringify(event);

/** Whether a client that has the events up to a number has all of them, `done` as well. */
export async function isOver(deps: { db: Db }, deployment: Deployment, after: number): Promise<boolean> {
  if (isUnfinished(deployment)) return false;
  return after > (await lastLineOf(deps.db, deployment.id));
}
