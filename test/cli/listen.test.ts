import { afterAll, describe, expect, it, vi } from "vitest";
import { verifyCallback } from "@agent-workspace/client/webhooks";
import { startReceiver } from "#test/support/receiver.ts";
import { sharedService } from "#test/support/shared-service.ts";
import { script } from "#test/support/task-client.ts";
import { machineOf } from "./support/session.ts";
import { newMachine, type Running } from "./support/machine.ts";

const service = sharedService();
const owner = await service.signUp();
const project = (await service.newProject(owner.token)).id;
const { key } = await service.newKey(owner.token, project);
const machine = await newMachine({ WORKSPACE_URL: service.stack.url, WORKSPACE_API_KEY: key });
// The first attempt fails, as while a receiver is restarted.
const receiver = await startReceiver((_, before) => ({ status: before === 0 ? 500 : 204 }));
afterAll(async () => {
  await machine.close();
  await receiver.close();
});

/** Starts a task and returns its id. */
async function begin(text: string): Promise<string> {
  const json = { project_id: project, message: script({ text }) };
  const { body } = await service.call<{ task_id: string }>("POST", "/api/external/agent/invoke", {
    token: key,
    json,
  });
  return body.task_id;
}

const forwarding = async (): Promise<Running> => {
  const running = machine.start(["listen", "--forward-to", `${receiver.url}/hook`]);
  await vi.waitFor(() => expect(running.output().stderr).toContain("Forwarding to"));
  return running;
};

/** Waits until the program has told that the receiver took a task. */
const delivered = (running: Running, id: string) =>
  vi.waitFor(() => expect(running.output().stdout).toContain(`✓ ${id} completed`));

async function stopped(running: Running): Promise<string> {
  running.child.kill("SIGINT");
  const { code, stderr } = await running.ended;
  expect(code).toBe(130);
  return stderr;
}

describe("workspace listen", () => {
  it("delivers each end once it began, also what it missed while it was away", async () => {
    const before = await begin("before it listens");
    // One that still runs when listening begins is told.
    await vi.waitFor(async () => {
      const path = `/api/external/agent/status/${before}`;
      expect((await service.call("GET", path, { token: key })).body).toMatchObject({ status: "completed" });
    });
    let running = await forwarding();
    const first = await begin("first");
    await delivered(running, first);
    const secret = /whsec_\S+/u.exec(await stopped(running))?.[0] ?? "";

    const missed = await begin("missed");
    running = await forwarding();
    const last = await begin("last");
    await delivered(running, missed);
    await delivered(running, last);
    const all = receiver.received("/hook");
    expect(await stopped(running)).not.toContain("whsec_");
    expect((await machine.run(["listen", "--print-secret"])).stdout).toBe(`${secret}\n`);

    const tasks = await Promise.all(all.map(({ body, headers }) => verifyCallback(body, headers, secret)));
    expect(tasks.map(({ task_id: id }) => id).slice(0, 2)).toEqual([first, first]);
    expect(new Set(tasks.slice(2).map(({ task_id: id }) => id))).toEqual(new Set([missed, last]));
    expect(all.map(({ headers }) => headers["webhook-id"])).toEqual(
      tasks.map(({ task_id: id }) => `task_${id}`),
    );
  });

  it("follows the tasks of a person who is signed in", async () => {
    const home = await machineOf(service, owner);
    const running = home.start(["listen", "--forward-to", `${receiver.url}/own`]);
    await vi.waitFor(() => expect(running.output().stderr).toContain("Forwarding to"));
    const json = { project_id: project, message: script({ text: "from a chat" }) };
    const { token } = owner;
    const { body } = await service.call<{ task_id: string }>("POST", "/api/chat/agent", { token, json });
    await delivered(running, body.task_id);
    const secret = /whsec_\S+/u.exec(await stopped(running))?.[0] ?? "";
    const [received] = receiver.received("/own");
    const told = await verifyCallback(received?.body ?? "", received?.headers ?? {}, secret);
    expect(told).toMatchObject({ task_id: body.task_id, status: "completed" });
    await home.close();
  });
});
