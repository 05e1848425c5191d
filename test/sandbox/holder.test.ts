import { describe, expect, it } from "vitest";
import type { Container } from "#durable-objects/project-sandbox/container.ts";
import { SandboxHolder } from "#durable-objects/project-sandbox/holder.ts";
import { StorageState, type KeyValues } from "#durable-objects/project-sandbox/storage-state.ts";
import { createLog } from "#src/platform/log/log.ts";

/** What never comes is waited for this long. */
const PATIENCE = { stopMs: 5, silenceMs: 5, lookMs: 1, answerMs: 5 };
const LOST = {
  code: "unavailable",
  message: "The project's container ended unexpectedly: what was changed since its last snapshot is lost",
};
const request = (method: string, path: string) => new Request(`http://project-sandbox${path}`, { method });
const health = (ending: boolean) => Response.json({ busy: false, ending });
const silent = () => new Promise<Response>(() => undefined);

/** A holder over a container that answers as it is told, by path, and with files on its disk. */
async function holderOver(answers: (path: string) => Response | Promise<Response>) {
  const kept = new Map<string, unknown>();
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion, typescript/no-unnecessary-type-assertion -- a map
  const kv = {
    get: (key: string) => kept.get(key),
    put: (key: string, value: unknown) => void kept.set(key, value),
    delete: (key: string) => kept.delete(key),
    list: () => kept.entries(),
  } as KeyValues;
  let disks = 0;
  const running = { now: false };
  const container: Container = {
    get isRunning() {
      return running.now;
    },
    start: async () => {
      if (!running.now) disks += 1;
      running.now = true;
    },
    diskId: async () => `disk ${disks}`,
    fetch: async ({ url }) => answers(new URL(url).pathname),
    end: async () => {
      running.now = false;
    },
  };
  const log = createLog();
  const holder = new SandboxHolder({
    container,
    state: new StorageState(kv),
    log: Object.assign(Object.create(log), { warn: () => undefined, error: () => undefined }),
    patience: PATIENCE,
  });
  const forward = (method: string, path: string) => holder.forward(request(method, path), path);
  return { holder, forward, running };
}

const wedges = async () => {
  let isWedged = false;
  const sandbox = await holderOver((path) =>
    isWedged ? silent() : path === "/health" ? health(false) : new Response(),
  );
  await sandbox.forward("PUT", "/files/content");
  isWedged = true;
  return sandbox;
};

describe("a workspace server that does not answer", () => {
  it.each([
    ["a stop", "POST", "/stop"],
    ["a command", "POST", "/commands"],
    ["a read", "GET", "/files/entry"],
  ])("is ended by %s, which says that the files are lost", async (_, method, path) => {
    const { holder, forward, running } = await wedges();
    await expect(forward(method, path)).rejects.toMatchObject(LOST);
    expect(running.now).toBe(false);
    expect(holder.storageState()).toEqual({ state: "absent", generation: 0, lost: true });
  });

  it("does not keep its files from being frozen for ever", async () => {
    const { holder, running } = await wedges();
    await expect(holder.freeze(1)).rejects.toMatchObject(LOST);
    expect(running.now).toBe(false);
  });

  it("is ended when nobody calls it, once it has been silent for too long", async () => {
    const { holder, running } = await wedges();
    while (running.now) await holder.lookAfter();
    expect(holder.storageState()).toMatchObject({ state: "absent", lost: true });
  });
});

it("waits for a call for as long as the server answers others", async () => {
  const done = Promise.withResolvers<Response>();
  let looks = 0;
  const { forward, running } = await holderOver((path) => {
    if (path !== "/health") return done.promise;
    looks += 1;
    if (looks === 20) done.resolve(new Response("done"));
    return health(false);
  });
  expect(await (await forward("POST", "/commands")).text()).toBe("done");
  expect(running.now).toBe(true);
});

it("refuses a stop that does not end what runs, keeps the files, and looks no more", async () => {
  let looks = 0;
  const { holder, forward, running } = await holderOver((path) => {
    if (path === "/health") looks += 1;
    return path === "/stop" ? silent() : path === "/health" ? health(false) : new Response();
  });
  await forward("PUT", "/files/content");
  await expect(holder.freeze(1)).rejects.toMatchObject({ message: /does not end/u });
  const looked = looks;
  await new Promise((resolve) => setTimeout(resolve, 50 * PATIENCE.lookMs));
  expect(looks).toBe(looked);
  expect(running.now).toBe(true);
});

describe("a container that the platform ends soon", () => {
  it("is to be saved when it has files, and ended when it has none", async () => {
    const { holder, forward, running } = await holderOver((path) =>
      path === "/health" ? health(true) : new Response(),
    );
    await forward("PUT", "/files/content");
    expect(await holder.lookAfter()).toBe("save");
    await holder.freeze(1);
    await holder.discard(1);
    expect(running.now).toBe(false);

    const empty = await holderOver((path) => (path === "/health" ? health(true) : new Response()));
    await empty.forward("GET", "/files/entry");
    expect(await empty.holder.lookAfter()).toBeUndefined();
    expect(empty.running.now).toBe(false);
  });
});
