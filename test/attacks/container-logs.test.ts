import { beforeAll, describe, expect, it, vi } from "vitest";
import { NO_BUBBLEWRAP, SKIPPED } from "#test/hosts/support/runtime-host.ts";
import type { Account } from "#test/support/api-client.ts";
import { otherSharedService, type SharedService } from "#test/support/shared-service.ts";
import { openSocket } from "#test/support/socket.ts";

/** What the program writes: a caller without `container.view` may not see it. */
const WRITTEN = `written-${crypto.randomUUID()}`;
/** The command says it otherwise, because a container's record shows its command. */
const PROGRAM = `echo ${WRITTEN.replaceAll("-", "''-")}; exit 3`;

describe.skipIf(NO_BUBBLEWRAP)(`what a container wrote${SKIPPED}`, () => {
  let service: SharedService;
  let owner: Account;
  let project: { id: string; slug: string };
  let containerId: string;
  let taskId: string;
  let chatId: string;
  /** Keys with every permission, and with every one but `container.view`. */
  let full: string;
  let blind: string;

  const container = () => `/api/projects/${project.id}/containers/${containerId}`;

  beforeAll(async () => {
    service = await otherSharedService("host");
    owner = await service.signUp();
    const { token } = owner;
    project = await service.newProject(token);
    const post = async <T>(path: string, json: object) =>
      (await service.call<T>("POST", path, { token, json })).body;
    const web = { name: "web", project_id: project.id, directory: ".", startup_command: PROGRAM };
    const made = await post<{ container: { id: string } }>(`/api/projects/${project.id}/containers`, web);
    containerId = made.container.id;
    chatId = (await post<{ id: string }>("/api/chat", { project_id: project.id })).id;
    full = (await service.newKey(token)).key;
    const all = await service.call<{ value: string }[]>("GET", "/api/external-api-keys/scopes", { token });
    const scopes = all.body.map(({ value }) => value).filter((value) => value !== "container.view");
    blind = (await post<{ key: string }>("/api/external-api-keys", { name: "blind", scopes })).key;
    const begun = await service.call<{ task_id: string }>("POST", `${container()}/start`, { token: blind });
    taskId = begun.body.task_id;
    await vi.waitFor(
      async () => {
        const { body } = await service.call<{ status: string }>("GET", `/api/tasks/${taskId}`, { token });
        if (body.status !== "failed") throw new Error(body.status);
      },
      { interval: 100 },
    );
  });

  const shows = async (key: string, method: string, path: string, json?: unknown) =>
    (await service.call(method, path, { token: key, json })).text.includes(WRITTEN);

  it("is in no answer to a key without container.view", async () => {
    const inProject = ["", "/status", "/containers"].map((rest) => `/api/projects/${project.id}${rest}`);
    const ofContainer = ["", "/logs", "/health"].map((rest) => `${container()}${rest}`);
    const tasks = [taskId, "user/all", "user/active"].map((rest) => `/api/tasks/${rest}`);
    const reads = ["/api/projects", ...inProject, ...ofContainer, ...tasks];
    for (const path of reads) expect([path, await shows(blind, "GET", path)]).toEqual([path, false]);
    expect(await shows(blind, "PATCH", container(), { port: 4001 })).toBe(false);
    expect(await shows(blind, "POST", `${container()}/rename`, { new_name: "web2" })).toBe(false);
    expect((await service.call("GET", `${container()}/logs`, { token: blind })).status).toBe(403);
  });

  it("is in the log, with the container and beside a chat, for callers with container.view", async () => {
    for (const path of [container(), `${container()}/logs`]) {
      expect([path, await shows(full, "GET", path)]).toEqual([path, true]);
    }
    const socket = await openSocket(service.url, `/ws/${chatId}?token=${full}`);
    socket.send({ type: "switch_container", container_id: containerId });
    expect(await socket.next("log")).toMatchObject({ data: WRITTEN });
    socket.close();
  });

  it("is shown on no socket to a key without container.view", async () => {
    const logs = await openSocket(service.url, `/api/projects/${project.id}/logs/stream?token=${blind}`);
    expect(await logs.closed).toMatchObject({ code: 4403 });
    const socket = await openSocket(service.url, `/ws/${chatId}?token=${blind}`);
    socket.send({ type: "switch_container", container_id: containerId });
    expect(await socket.next("error")).toEqual({
      type: "error",
      message: "API key lacks required scope: container.view",
    });
    // The chat's own part goes on.
    socket.send({ type: "ping" });
    await socket.next("pong");
    expect(JSON.stringify(socket.frames)).not.toContain(WRITTEN);
    socket.close();
  });
});
