import { rmSync } from "node:fs";
import { Client } from "pg";
import { afterEach, expect, inject, it, vi } from "vitest";
import { apiClient } from "#test/support/api-client.ts";
import { newDataDir } from "#test/support/data-dir.ts";
import { onlyEmbedded } from "#test/support/held-open.ts";
import { MODEL_WIRES, startModelServer } from "#test/support/model-servers.ts";
import { spawnService, type ServiceProcess } from "#test/support/process.ts";
import { createDatabase } from "#test/support/server-database.ts";
import { limitFor } from "./support/patience.ts";

const dataDir = newDataDir();
const started: { close: () => Promise<unknown> }[] = [];
afterEach(async () => {
  for (const { close } of started.toReversed()) await close();
  rmSync(dataDir, { recursive: true, force: true });
});

it.skipIf(onlyEmbedded())(
  "credits that a killed service had reserved are held until they expire, and none is lost",
  { timeout: limitFor(1) },
  async () => {
    const [wire] = MODEL_WIRES;
    if (!wire) throw new Error("There is no wire");
    const model = await startModelServer(wire);
    started.push(model);
    model.mock.onMessage("hello", {
      content: "Hello.",
      usage: { prompt_tokens: 1000, completion_tokens: 500 },
    });
    const own = await createDatabase(String(process.env["TEST_DATABASE_URL"]), inject("templateDatabase"));
    started.push({ close: () => own.drop() });
    const database = new Client({ connectionString: own.databaseUrl });
    await database.connect();
    started.push({ close: () => database.end() });
    let service: ServiceProcess | undefined;
    started.push({ close: async () => service?.kill() });
    const start = (port: string) => {
      service = spawnService({
        PORT: port,
        DATA_DIR: dataDir,
        DATABASE_URL: own.databaseUrl,
        ...wire.variables(model.origin),
        DEFAULT_MODEL: wire.model,
        SIGNUP_BONUS_CREDITS: "0",
        TIER_DAILY_CREDITS_FREE: "5",
      });
      return service;
    };

    const before = start("0");
    const api = apiClient(await before.ready);
    const { token } = await api.signUp();
    const { key } = await api.newKey(token);
    const ask = (content: string) => {
      const json = { model: wire.model, messages: [{ role: "user", content }], stream: false };
      return api.call("POST", "/api/v1/chat/completions", { token: key, json });
    };
    const balance = async () => (await api.call("GET", "/api/billing/credits", { token })).body;
    ask("hold on").catch(() => {});
    await vi.waitUntil(() => model.received.length > 0);
    expect((await ask("hello")).status).toBe(402);
    await before.kill();

    const { rows } = await database.query(
      "SELECT credits, extract(epoch FROM expires_at - now()) AS seconds FROM credit_reservations",
    );
    expect(rows).toMatchObject([{ credits: 5 }]);
    // The sweep of the minute after it releases it.
    expect(Number(rows[0].seconds)).toBeLessThan(9 * 60);
    await database.query("UPDATE credit_reservations SET expires_at = expires_at - interval '9 minutes'");
    await start(new URL(api.url).port).ready;
    expect(await balance()).toMatchObject({ total_credits: 5 });
    await vi.waitFor(async () => expect((await ask("hello")).status).toBe(200), { interval: 500 });
    expect(await balance()).toMatchObject({ total_credits: 3 });
    const { rows: left } = await database.query(
      "SELECT reserved_credits FROM teams WHERE reserved_credits <> 0",
    );
    expect(left).toEqual([]);
  },
);
