import { afterAll, afterEach, describe, expect, it } from "vitest";
import { MAX_RESPONSE_BYTES } from "#src/platform/mcp-client/bounded-fetch.ts";
import type { McpConnection } from "#src/platform/mcp-client/mcp-client.ts";
import {
  asking,
  completed,
  deferCalls,
  heardOf,
  working,
  type Told,
} from "#test/support/deferring-server.ts";
import { plainTool, Refused, startMcpStub } from "#test/support/mcp-stub.ts";
import { patientMcpClient } from "#test/support/patient-mcp.ts";

const EXTENSION = "io.modelcontextprotocol/tasks";
const CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";

const client = patientMcpClient();
const stub = await startMcpStub([plainTool("build")]);
afterAll(() => stub.close());
afterEach(() => {
  stub.instead = {};
  stub.requests.length = 0;
});

async function connected<T>(use: (connection: McpConnection) => Promise<T>, { url } = stub): Promise<T> {
  const connection = await client.connect({ url, headers: { authorization: "Bearer secret-1234" } });
  try {
    return await use(connection);
  } finally {
    await connection.close();
  }
}

const called = () => connected((connection) => connection.callTool("build", { q: "a" }));
const asked = (taskId = "task-of-a") => connected((connection) => connection.getTask(taskId));

it("declares with each request that it takes handles", async () => {
  await called();
  const declared = stub.requests.map(({ params }) => Object(params["_meta"])[CAPABILITIES]);
  expect(declared).toEqual(
    stub.requests.map(() => expect.objectContaining({ extensions: { [EXTENSION]: {} } })),
  );
});

it("returns the handle of a call", async () => {
  deferCalls(stub, [], { statusMessage: "Queued", ttlMs: 60_000, pollIntervalMs: 5_000 });
  const handle = { taskId: "task-of-a", message: "Queued", ttlMs: 60_000, pollMs: 5_000 };
  expect(await called()).toEqual(handle);
  deferCalls(stub, [], { ttlMs: "long", pollIntervalMs: null, statusMessage: 7, status: "sleeping" });
  expect(await called()).toEqual({ taskId: "task-of-a" });
});

it.each([
  ["without an id", { taskId: undefined }],
  ["with an empty id", { taskId: "" }],
  ["with an id of a megabyte", { taskId: "x".repeat(1_000_000) }],
])("does not take a handle %s, of a call whose outcome is then unknown", async (_, fields) => {
  deferCalls(stub, [], fields);
  await expect(called()).rejects.toMatchObject({ kind: "error", wasSent: true });
});

it("takes no handle from a server of an older revision", async () => {
  const older = await startMcpStub([plainTool("build")], { era: "2025-11-25" });
  try {
    deferCalls(older, []);
    const calling = connected((connection) => connection.callTool("build", { q: "a" }), older);
    expect(await calling).toEqual({ content: [], structured: undefined, isError: false });
  } finally {
    await older.close();
  }
});

describe("what a server says of a call that it goes on with", () => {
  const FORM = { message: "Where?", requestedSchema: { type: "object", properties: {} } };
  it.each<[string, Told, object]>([
    ["that it works", working({ statusMessage: "50 %" }), { kind: "working", asks: [], message: "50 %" }],
    [
      "that it asks",
      asking({ where: FORM }),
      { kind: "working", asks: [{ key: "where", method: "elicitation/create", params: FORM }] },
    ],
    [
      "the result",
      completed("Built.", { isError: true, structuredContent: { size: 1 } }),
      { result: { content: [{ type: "text", text: "Built." }], isError: true, structured: { size: 1 } } },
    ],
    [
      "a result without content",
      { status: "completed", result: { content: 7 } },
      { kind: "completed", result: { content: [], isError: false } },
    ],
    [
      "an error",
      { status: "failed", error: { code: -32_603, message: "No room" }, statusMessage: "Failed" },
      { kind: "failed", message: "No room" },
    ],
    ["an error that is none", { status: "failed", error: 7 }, { kind: "failed" }],
    [
      "that it was cancelled",
      { status: "cancelled", statusMessage: "Why" },
      { kind: "cancelled", message: "Why" },
    ],
    ["that it does not know it", new Refused(-32_602, "Task not found"), { kind: "unknown" }],
  ])("is %s", async (_, told, state) => {
    deferCalls(stub, [told]);
    expect(await asked()).toMatchObject(state);
  });

  it.each<[string, Told]>([
    ["of a status that there is not", { status: "dreaming" }],
    ["without a status", {}],
    ["of another task", working({ taskId: "task-of-b" })],
    ["without its result", { status: "completed" }],
    ["with questions that are none", { status: "input_required", inputRequests: { a: 7 } }],
    ["as yet another handle", { resultType: "task", status: "working" }],
    ["that names the token", new Refused(-32_603, "Not for Bearer secret-1234")],
  ])("is refused where it is %s", async (_, told) => {
    deferCalls(stub, [told]);
    const failure = await asked().catch((error: unknown) => error);
    expect(failure).toMatchObject({ name: "McpFailure", kind: "error", wasSent: false });
    expect(String(failure)).not.toContain("secret-1234");
  });

  it("is refused where it has more than a response may have", async () => {
    deferCalls(stub, [completed("x".repeat(MAX_RESPONSE_BYTES))]);
    await expect(asked()).rejects.toMatchObject({ kind: "error", message: expect.stringContaining("8 MiB") });
  });

  it.each([
    [500, "unreachable"],
    [429, "unreachable"],
    [404, "error"],
    [401, "needs_authorization"],
  ])("is not known after HTTP %i", async (status, kind) => {
    stub.instead["tasks/get"] = (_, response) => void response.writeHead(status).end();
    await expect(asked()).rejects.toMatchObject({ kind, wasSent: false });
  });
});

it("sends answers, and that its client no longer waits", async () => {
  deferCalls(stub, []);
  const answers = { where: { action: "accept", content: { a: "b" } } } as const;
  expect(await connected((connection) => connection.updateTask("task-of-a", answers))).toBe(true);
  await connected((connection) => connection.cancelTask("task-of-a"));
  expect(heardOf(stub, "tasks/update")).toMatchObject([{ taskId: "task-of-a", inputResponses: answers }]);
  expect(heardOf(stub, "tasks/cancel")).toMatchObject([{ taskId: "task-of-a" }]);
  for (const method of ["tasks/update", "tasks/cancel"])
    stub.instead[method] = () => new Refused(-32_602, "Unknown");
  expect(await connected((connection) => connection.updateTask("task-of-a", answers))).toBe(false);
  await expect(connected((connection) => connection.cancelTask("task-of-a"))).resolves.toBeUndefined();
});
