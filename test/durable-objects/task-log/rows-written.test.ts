import { runInDurableObject } from "cloudflare:test";
import { expect, it } from "vitest";
import { EventStore } from "#durable-objects/task-log/event-store.ts";
import { RunState } from "#durable-objects/task-log/run-state.ts";
import { FROM_THE_CODE } from "../../../bench/scale/task-needs.ts";
import { bindings } from "../support/bindings.ts";

const namespace = bindings.TASK_LOG;

/** Storage that adds up the rows its statements write, as the platform charges them. */
function counting(sql: SqlStorage): { sql: SqlStorage; rows: () => number } {
  let rows = 0;
  const counted = new Proxy(sql, {
    get(target, name) {
      if (name !== "exec") return Reflect.get(target, name);
      return (...statement: Parameters<SqlStorage["exec"]>) => {
        const cursor = target.exec(...statement);
        rows += cursor.rowsWritten;
        return cursor;
      };
    },
  });
  return { sql: counted, rows: () => rows };
}

it("writes as many rows as docs/scale.md reckons with", async () => {
  const { rowsPerWrite, rowsPerRecord } = FROM_THE_CODE;
  const stub = namespace.getByName(crypto.randomUUID());
  await stub.open(crypto.randomUUID());
  const found = await runInDurableObject(stub, (_object, state) => {
    const { sql, rows } = counting(state.storage.sql);
    const run = new RunState(sql);
    const events = new EventStore(sql);
    const rowsOf = (act: () => unknown) => {
      const before = rows();
      act();
      return rows() - before;
    };
    const now = Date.now();
    run.begin(1, 0, { now, stallMs: 8_000, maxAttempts: 5 });
    return {
      ping: rowsOf(() => run.ping(1, now)),
      write: rowsOf(() => run.advance({ sequence: 1 }, now)),
      events: rowsOf(() => events.append([{ type: "text_delta", data: "{}" }])),
      record:
        rowsOf(() => {
          const records = [{ iteration: 1, kind: "answer", callId: "", value: "{}" } as const];
          run.advance({ sequence: 2, records }, now);
          run.advance({ sequence: 3, storedTurns: 1 }, now);
        }) -
        2 * rowsPerWrite,
    };
  });
  expect(found).toEqual({ ping: 1, write: rowsPerWrite, events: 1, record: rowsPerRecord });
});
