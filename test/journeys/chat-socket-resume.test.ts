import { beforeAll, describe, expect, it, vi } from "vitest";
import { sharedService } from "#test/support/shared-service.ts";
import { openSocket, type Frame, type TestSocket } from "#test/support/socket.ts";
import { newTaskClient, script, type TaskClient } from "#test/support/task-client.ts";

const service = sharedService();
let client: TaskClient;
beforeAll(async () => {
  client = await newTaskClient(service);
});

const connect = (query: Record<string, string> = {}) => {
  const { projectId, account } = client;
  return openSocket(
    service.url,
    `/ws/chat/${projectId}?${new URLSearchParams({ token: account.token, ...query })}`,
  );
};

const typeOf = ({ type, payload }: Frame) => (type === "agent_event" ? Object(payload).type : type);
const pathOfExisting = (query: Record<string, string>) =>
  `/api/chat/ws/${client.account.token}?${new URLSearchParams(query)}`;

/** Ids of a task's events that a socket was shown, once the end is among them. */
async function shownToTheEnd({ frames }: TestSocket, taskId: string): Promise<unknown[]> {
  const of = () => frames.filter(({ task_id, event_id }) => task_id === taskId && event_id !== undefined);
  await vi.waitFor(() => expect(of().map(typeOf)).toContain("done"));
  return of().map(({ event_id }) => event_id);
}

describe("a client that claims more events than there are", () => {
  const BEYOND = 99_999;

  it("is told so, as over HTTP, and shown all of it", async () => {
    const { task_id } = await client.start(script({ text: "word ".repeat(600), chunks: 600, delay_ms: 100 }));
    await client.event(task_id, "text_delta");
    const socket = await connect({ task_id, last_event_id: String(BEYOND) });
    expect(await socket.next("error")).toMatchObject({
      task_id,
      message: expect.stringContaining(String(BEYOND)),
    });
    await client.cancel(task_id);
    const shown = await shownToTheEnd(socket, task_id);
    expect(shown).toEqual((await client.end(task_id)).map(({ id }) => id));
    socket.close();
  });

  it("is sent the end of a task that is over", async () => {
    const { task_id } = await client.start("Hello");
    const ids = (await client.end(task_id)).map(({ id }) => id);
    const socket = await connect();
    socket.send({ type: "resume", task_id, last_event_id: BEYOND });
    expect(await shownToTheEnd(socket, task_id)).toEqual(ids.slice(-1));
    socket.close();
  });
});

describe("the address of existing clients", () => {
  it("says what the client has, as the other address does", async () => {
    const { task_id } = await client.start("Hello");
    const ids = (await client.end(task_id)).map(({ id }) => id);
    const socket = await openSocket(service.url, pathOfExisting({ task_id, last_event_id: "2" }));
    socket.send({ type: "ping", project_id: client.projectId });
    expect(await shownToTheEnd(socket, task_id)).toEqual(ids.slice(2));
    socket.close();
  });

  it("is refused with an error that names the fault", async () => {
    const socket = await openSocket(service.url, pathOfExisting({ task_id: "none" }));
    socket.send({ type: "ping", project_id: client.projectId });
    expect(await socket.next("error")).toMatchObject({ message: expect.stringContaining("task_id") });
    expect(await socket.closed).toMatchObject({ code: 1008 });
  });
});
