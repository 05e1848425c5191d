import { once } from "node:events";
import { readFile } from "node:fs/promises";
import net from "node:net";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import type { Account } from "#test/support/api-client.ts";
import { createDatabase } from "#test/support/server-database.ts";
import { startService, type TestService } from "#test/support/service.ts";
import { faultOf } from "./refusal.ts";

const server = process.env["TEST_DATABASE_URL"];

/** A way to a server that can be cut. */
async function wayTo(target: URL) {
  const open = new Set<net.Socket>();
  const listener = net.createServer((socket) => {
    const onward = net.connect(Number(target.port || 5432), target.hostname);
    for (const each of [socket, onward]) {
      open.add(each.on("error", () => {}).on("close", () => open.delete(each)));
    }
    socket.pipe(onward).pipe(socket);
  });
  await once(listener.listen(0, "127.0.0.1"), "listening");
  const address = listener.address();
  if (typeof address !== "object" || !address) throw new Error("The listener has no port");
  return {
    port: address.port,
    cut() {
      listener.close();
      for (const each of open) each.destroy();
    },
  };
}

// The embedded database lives in the process that would have to outlive it.
describe.skipIf(!server)("a service whose database is gone (needs TEST_DATABASE_URL)", () => {
  let database: Awaited<ReturnType<typeof createDatabase>>;
  let service: TestService;
  let way: Awaited<ReturnType<typeof wayTo>>;
  let person: Account;
  let key: string;

  beforeAll(async () => {
    database = await createDatabase(server ?? "", inject("templateDatabase"));
    const address = new URL(database.databaseUrl);
    way = await wayTo(new URL(address));
    address.host = `127.0.0.1:${way.port}`;
    service = await startService({ DATABASE_URL: address.href });
    person = await service.signUp();
    ({ key } = await service.newKey(person.token));
    way.cut();
  });
  afterAll(async () => {
    await service.close();
    await database.drop();
  });

  it("says that it is not ready, and that it is alive", async () => {
    expect(await service.call("GET", "/ready")).toMatchObject({
      status: 503,
      body: { status: "not_ready", service: "agent-workspace", database: "unavailable" },
    });
    expect(await service.call("GET", "/health")).toMatchObject({ status: 200, body: { status: "healthy" } });
  });

  it("says that the database is away and nothing of its insides, and logs no secret", async () => {
    const { email, password, token } = person;
    const answers = [
      await service.call("POST", "/api/auth/register", { json: { email: "new@example.com", password } }),
      await service.call("POST", "/api/auth/login", { json: { email, password } }),
      await service.call("GET", "/api/projects", { token }),
      await service.call("GET", "/api/projects", { token: key }),
      await service.call("POST", "/api/auth/refresh", {
        headers: { cookie: "refresh_token=a-refresh-token" },
      }),
    ];
    for (const { status, headers, body } of answers) {
      expect(status).toBe(503);
      expect(body).toEqual({ detail: "The database does not respond" });
      expect(headers.get("x-request-id")).toBeTruthy();
    }
    const log = await readFile(service.stack.logFile, "utf8");
    expect(log).toContain("request failed");
    const secrets = [password, token, key, "a-refresh-token", service.stack.variables["SECRET_KEY"] ?? "-"];
    expect(secrets.filter((secret) => log.includes(secret))).toEqual([]);
    // Hashes are not for a log either: bcrypt, or SHA-256 of a key or refresh token.
    expect(log.match(/\$2[aby]\$\d\d\$|\b[0-9a-f]{64}\b/gu)).toBeNull();
  });

  it("refuses bad requests as usual", async () => {
    const answer = await service.call("POST", "/api/auth/login", { json: {} });
    expect([answer.status, faultOf(answer)]).toEqual([422, undefined]);
  });
});
