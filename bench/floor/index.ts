import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { sql } from "drizzle-orm";
import { z } from "zod";
import { createDb } from "#src/platform/db/client.ts";
import { newTrips } from "#src/platform/trips.ts";
import { HttpClient } from "../http-client.ts";

const Addresses = z.object({ databaseUrl: z.string(), httpUrl: z.string(), workerUrl: z.string() });

/** The least time that this machine needs: the same components as the service's, without the service. */
export interface Floor {
  /** Of the process whose child is the Worker's workerd. */
  pid: number;
  /** One row through drizzle, the Neon driver and the local bridge. */
  insert(): Promise<void>;
  /** One request to a Worker that writes one row in a new Durable Object, as for each new task. */
  newObjectWrite(): Promise<void>;
  /** The same in an existing object. */
  objectWrite(): Promise<void>;
  /** One request to a Worker that returns a greeting. */
  hello(): Promise<void>;
  close(): Promise<void>;
}

export async function startFloor(): Promise<Floor> {
  const dataDir = mkdtempSync(path.join(tmpdir(), "workspace-floor-"));
  const child = fork(fileURLToPath(import.meta.resolve("./server.ts")), [dataDir]);
  const exited = once(child, "exit");
  const [message] = await Promise.race([once(child, "message"), exited]);
  const { databaseUrl, httpUrl, workerUrl } = Addresses.parse(message);
  const db = createDb({ databaseUrl, httpUrl, trips: newTrips() });
  const http = new HttpClient(workerUrl);
  const body = "x".repeat(200);
  return {
    pid: child.pid ?? 0,
    async insert() {
      await db.execute(sql`INSERT INTO note (id, body) VALUES (${crypto.randomUUID()}, ${body})`);
    },
    async newObjectWrite() {
      await http.request("GET", "/new");
    },
    async objectWrite() {
      await http.request("GET", "/same");
    },
    async hello() {
      await http.request("GET", "/hello");
    },
    async close() {
      http.close();
      child.disconnect();
      await exited;
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
