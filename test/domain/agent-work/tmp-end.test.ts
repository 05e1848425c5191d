import { neonConfig } from "@neondatabase/serverless";
import { it } from "vitest";
import { endTask } from "#src/domain/agent-work/tasks/queries/run.ts";
import pg from "pg";
import { inject } from "vitest";
import { startNeon } from "#local/neon/index.ts";
import { createDb } from "#src/platform/db/client.ts";
import { newTrips } from "#src/platform/trips.ts";
import { createDatabase } from "#test/support/server-database.ts";
import { newPerson } from "#test/support/people.ts";
import { storeTask } from "#test/support/stored-task.ts";
const own = await createDatabase(process.env["TEST_DATABASE_URL"]!, inject("templateDatabase"));
const bridge = await startNeon({ dataDir: "/tmp/schedules-neon", databaseUrl: own.databaseUrl });
const db = createDb({ databaseUrl: bridge.databaseUrl, httpUrl: bridge.httpUrl, trips: newTrips() });
it("cost", async () => {
  const { user } = await newPerson(db);
  const { taskId } = await storeTask(db, user, { status: "running" });
  let body: { query: string; params: unknown[] } | undefined;
  neonConfig.fetchFunction = async (url: string, init: RequestInit) => {
    body = JSON.parse(String(init.body));
    return new Response("{}", { status: 500 });
  };
  await endTask(db, { taskId, generation: 100, iterations: 1, toolCalls: 0, turn: undefined, call: undefined } as never, { status: "completed", response: "x", completionReason: "x", error: null } as never).catch(() => {});
  const { query, params } = body!;
  const without = query.replace(/,\s*run AS \(INSERT INTO jobs[\s\S]*?RETURNING key, generation::text\)/u, "");
  console.log(query.length, without.length);
  const client = new pg.Client(own.databaseUrl);
  await client.connect();
  const times: Record<string, number[]> = { with: [], without: [] };
  for (let i = 0; i < 1200; i += 1) {
    for (const [name, text] of i % 2 ? [["with", query], ["without", without]] as const : [["without", without], ["with", query]] as const) {
      await client.query("BEGIN");
      const t = performance.now();
      await client.query(text, params);
      times[name]!.push(performance.now() - t);
      await client.query("ROLLBACK");
    }
  }
  await client.end();
  for (const [name, list] of Object.entries(times)) {
    const s = list.slice(100).sort((a, b) => a - b);
    console.log(name, "p10", s[Math.floor(s.length / 10)]!.toFixed(3), "median", s[Math.floor(s.length / 2)]!.toFixed(3));
  }
  await bridge.close();
  await own.drop();
}, 300_000);
