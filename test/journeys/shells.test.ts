import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { sweepSessions } from "#src/domain/workspaces/shells/index.ts";
import { createLog } from "#src/platform/log/log.ts";
import type { ProjectRuntime } from "#src/platform/runtime/project-runtime.ts";
import type { Account, ApiRequest } from "#test/support/api-client.ts";
import { databaseOf } from "#test/support/database.ts";
import { startService, type TestService } from "#test/support/service.ts";
import { newRunningSite, type Site } from "#test/support/site.ts";

let service: TestService;
let owner: Account;
let site: Site;
beforeAll(async () => {
  service = await startService({ SHELL_SESSIONS_PER_USER: "3", SHELL_SESSIONS_PER_PROJECT: "4" });
  owner = await service.signUp("owner");
  site = await newRunningSite(service, owner.token, { "hello.txt": "hello from a file\n" });
});
afterAll(async () => {
  await service.close();
});

interface Output {
  output: string;
  bytes: number;
  is_eof: boolean;
}

const call = <T = unknown>(method: string, path: string, request: ApiRequest = {}) =>
  service.call<T>(method, `/api/shell/sessions${path}`, { token: owner.token, ...request });

async function open(json: Record<string, unknown> = {}, token = owner.token): Promise<string> {
  const request = { token, json: { project_id: site.id, ...json } };
  const { status, body, text } = await call<{ session_id: string }>("POST", "", request);
  if (status !== 200) throw new Error(text);
  return body.session_id;
}

/** All that a session puts out until it has said this. */
async function untilSaid(id: string, words: string): Promise<string> {
  let said = "";
  await vi.waitFor(
    async () => {
      const { body } = await call<Output>("GET", `/${id}/output`);
      said += Buffer.from(body.output, "base64").toString();
      if (!said.includes(words)) throw new Error(`So far: ${said}`);
    },
    { interval: 50 },
  );
  return said;
}

describe("a shell session", () => {
  it("runs what is typed, keeps where it is, and gives each byte once", async () => {
    const id = await open();
    await call("POST", `/${id}/write`, { json: { data: "mkdir -p deep && cd deep && pwd\n" } });
    await untilSaid(id, "/app/deep");
    await call("POST", `/${id}/write`, { json: { data: "cat ../hello.txt\n" } });
    expect(await untilSaid(id, "hello from a file")).not.toContain("mkdir");
    const again = await call<Output>("GET", `/${id}/output`);
    expect(Buffer.from(again.body.output, "base64").toString()).not.toContain("hello from a file");
    expect((await call("GET", `/${id}`)).body).toMatchObject({
      session_id: id,
      project_id: site.id,
      command: "/bin/bash",
      working_dir: "/app",
      status: "active",
      bytes_written: 49,
      bytes_read: expect.any(Number),
    });
    expect(await call("DELETE", `/${id}`)).toMatchObject({
      status: 200,
      body: { message: "Session closed" },
    });
    expect(await call("DELETE", `/${id}`)).toMatchObject({ status: 200 });
    expect(await call("POST", `/${id}/write`, { json: { data: "ls\n" } })).toMatchObject({ status: 409 });
  });

  it("can be read after its program has ended, as clients that run one command do", async () => {
    const id = await open();
    await call("POST", `/${id}/write`, { json: { data: "echo $((6 * 7)) && exit 3\n" } });
    await untilSaid(id, "42");
    await vi.waitFor(async () => {
      expect((await call<Output>("GET", `/${id}/output`)).body.is_eof).toBe(true);
    });
    expect((await call("GET", `/${id}`)).body).toMatchObject({ status: "closed", exit_code: 3 });
    expect((await call<{ sessions: unknown[] }>("GET", "")).body.sessions).toEqual([]);
  });

  it("gives every byte to one of two readers", async () => {
    const id = await open();
    await call("POST", `/${id}/write`, { json: { data: "seq 1 2000; echo end-$((1 + 1))\n" } });
    let said = "";
    await vi.waitFor(
      async () => {
        const both = await Promise.all([1, 2].map(() => call<Output>("GET", `/${id}/output`)));
        const parts = both.map(({ body }) => body.output).filter((part) => part !== "" && part !== undefined);
        said += parts.map((part) => Buffer.from(part, "base64").toString()).join("");
        expect(said).toContain("end-2\r\n");
      },
      { interval: 50 },
    );
    expect(said.match(/^1234\r?$/gmu)).toHaveLength(1);
    await call("DELETE", `/${id}`);
  });

  it("starts in a container's directory, and ends with its project", async () => {
    const own = await newRunningSite(service, owner.token, { "index.html": "x" });
    const json = { name: "api", project_id: own.id, directory: "api" };
    const { token } = owner;
    await service.call("PUT", `/api/projects/${own.id}/files/api/a.txt`, { token, json: { content: "a" } });
    await service.call("POST", `/api/projects/${own.id}/containers`, { token, json });
    const id = await open({ project_id: own.slug, container_name: "api" });
    await call("POST", `/${id}/write`, { json: { data: "pwd\n" } });
    await untilSaid(id, "/app/api");
    await own.stop();
    expect((await call("GET", `/${id}`)).body).toMatchObject({ status: "closed" });
    const refused = await call("POST", "", { json: { project_id: own.id } });
    expect(refused).toMatchObject({
      status: 400,
      body: { detail: "The project is not running: start it first" },
    });
  });

  it("is not found by another person, and is limited per person, also for requests at once", async () => {
    const ids = await Promise.all([1, 2, 3, 4, 5].map(() => open().catch(() => undefined)));
    expect(ids.filter((id) => id !== undefined)).toHaveLength(3);
    const refused = await call("POST", "", { json: { project_id: site.id } });
    expect(refused).toMatchObject({
      status: 429,
      body: { detail: "Too many shell sessions are open: close one" },
    });
    expect(refused.headers.get("retry-after")).toBe("60");
    const id = ids.find((each) => each !== undefined) ?? "";
    const stranger = await service.signUp("stranger");
    for (const [method, path] of [
      ["GET", ""],
      ["GET", "/output"],
      ["DELETE", ""],
    ] as const) {
      expect(await call(method, `/${id}${path}`, { token: stranger.token })).toMatchObject({ status: 404 });
    }
    expect(
      (await call<{ sessions: unknown[] }>("GET", `?project_id=${site.slug}`)).body.sessions,
    ).toHaveLength(3);
    for (const each of ids) if (each !== undefined) await call("DELETE", `/${each}`);
  });

  it("is closed when it is unused for too long, or too old", async () => {
    const [unused, old, young] = [await open(), await open(), await open()];
    const db = databaseOf(service);
    const age = (id: string, column: string, minutes: number) =>
      db.execute(
        sql`UPDATE shell_sessions SET ${sql.identifier(column)} = now() - make_interval(mins => ${minutes}::int)
        WHERE id = ${id}::uuid`,
      );
    await Promise.all([age(unused, "last_activity_at", 31), age(old, "created_at", 8 * 60 + 1)]);
    const closed: string[] = [];
    const runtime = { closeShell: async (id: string) => void closed.push(id) };
    await sweepSessions({
      db,
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the sweep asks a runtime for nothing else
      workspaces: { runtime: () => runtime as unknown as ProjectRuntime },
      log: createLog(),
      config: { SHELL_IDLE_MINUTES: 30, SHELL_MAX_HOURS: 8 },
    });
    expect(closed.toSorted()).toEqual([unused, old].toSorted());
    const { body } = await call<{ sessions: { session_id: string }[] }>("GET", "");
    expect(body.sessions.map((each) => each.session_id)).toEqual([young]);
  });
});
