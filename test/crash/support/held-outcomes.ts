import type http from "node:http";
import { buffer } from "node:stream/consumers";
import { runDue } from "#src/domain/schedules/runs/run-due.ts";
import { serve } from "#local/serve.ts";
import { passOn } from "#test/support/pass-on.ts";

export const HELD_SERVICE = "test/crash/support/held-service.ts";

/** Statements by which an executor stores what came of a job, as `src/work/queries.ts` has them. */
const OUTCOME = /^WITH job AS \((?<end>DELETE FROM jobs)|^WITH job AS \(UPDATE jobs SET due_at/u;

export type HeldOutcomes = Awaited<ReturnType<typeof holdOutcomes>>;

/**
 * A proxy before the database of a service that is to be killed. While the proxy holds, no outcome of a job is stored. So at the
 * kill each claimed job is still under way, though its work outside the database is done. At other times the proxy passes
 * everything on.
 */
export async function holdOutcomes() {
  let isHolding = false;
  let database = { url: "", connection: "" };
  const held = new Set<http.ServerResponse>();

  const { url, close } = await serve(async (request, response) => {
    const target = new URL(decodeURIComponent((request.url ?? "").slice(1)));
    database = { url: target.href, connection: String(request.headers["neon-connection-string"]) };
    const body = await buffer(request);
    if (isHolding && isHeld(body.toString())) {
      held.add(response);
      return;
    }
    request.url = target.pathname;
    const answer = await passOn(target, request, body);
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    response.end(await buffer(answer));
  });

  return {
    url,
    hold() {
      isHolding = true;
    },
    /** The executors are dead: what they were about to store is never stored. */
    drop() {
      isHolding = false;
      for (const response of held) response.destroy();
      held.clear();
    },
    /** The rows of a statement, from the database of the service that runs. */
    async query<Row>(query: string, ...params: unknown[]): Promise<Row[]> {
      const headers = { "neon-connection-string": database.connection };
      const body = JSON.stringify({ query, params });
      const answer = await fetch(database.url, { method: "POST", headers, body });
      const result = await answer.text();
      if (!answer.ok) throw new Error(`The database answered ${answer.status}: ${result}`);
      return JSON.parse(result).rows;
    },
    close,
  };
}

/** The end of a run is stored: with it begins the job that tells its owner. */
function isHeld(body: string): boolean {
  const { query, params }: { query?: string; params?: unknown[] } = JSON.parse(body);
  const outcome = OUTCOME.exec(query ?? "");
  return outcome !== null && !(outcome.groups?.["end"] !== undefined && params?.[0] === runDue.name);
}
