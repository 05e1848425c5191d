import type { ServerResponse } from "node:http";
import { afterAll, afterEach, describe, expect, it, vi } from "vitest";
import { askInTurn, askMeanwhile, FORM, refuseUntil, type Asked } from "#test/support/asking-server.ts";
import { frameOf, newChatClient, type ChatFrame } from "#test/support/chat-client.ts";
import { newMcpOwner } from "#test/support/mcp-servers.ts";
import { plainTool, startMcpStub } from "#test/support/mcp-stub.ts";
import { otherSharedService } from "#test/support/shared-service.ts";
import { call, newTaskClient, script } from "#test/support/task-client.ts";
import { newTeamClient } from "#test/support/team-client.ts";

const TOKEN = "asking-secret-0123456789";

const service = await otherSharedService("eager");
const stub = await startMcpStub([plainTool("deploy")]);
const older = await startMcpStub([plainTool("deploy")], { era: "2025-11-25" });
const chat = await newChatClient(service);
const { token } = chat.account;
const own = newMcpOwner(service, token);
await own.add({ name: "new", url: stub.url, token: TOKEN });
await own.add({ name: "old", url: older.url });
afterAll(() => Promise.all([stub.close(), older.close()]));
afterEach(() => {
  for (const each of [stub, older]) {
    each.instead = {};
    each.requests.length = 0;
  }
});

const deploy = (server = "new", ...calls: string[]) => {
  const all = calls.length > 0 ? calls : ["x"];
  return script({ tools: all.map((q) => call(`mcp__${server}__deploy`, { q })) }, { text: "Done." });
};
const answer = (json: Record<string, unknown>, as = token) =>
  service.call<{ detail?: string }>("POST", "/api/chat/agent/approval", { token: as, json });
const ADDRESS: Asked = { mode: "url", message: "Sign in", url: "https://id.example.com/start?x=1" };

type Question = NonNullable<ChatFrame["data"]>;

/** Runs a turn, and gives each of its questions to `give`. Returns the questions and the results of the calls, and the last one. */
async function running(message: string, give: (question: Question, place: number) => Promise<unknown>) {
  const stream = await chat.send(message, { edit_mode: "allow" });
  const asked: Question[] = [];
  const results: Record<string, unknown>[] = [];
  for await (const frame of stream.frames()) {
    if (frame.type === "tool_call") results.push({ ...Object(frame.data?.["result"] ?? frame.result) });
    if (frame.type !== "approval_required" || !frame.data) continue;
    await give(frame.data, asked.push(frame.data) - 1);
  }
  return { asked, results, result: results.at(-1) ?? {} };
}
const accepting = (content?: object) => async (question: Question) => {
  const given = await answer({ approval_id: question["approval_id"], response: "accept", content });
  expect(given).toMatchObject({ status: 200 });
};
const saying = (response: string) => async (question: Question) => {
  expect(await answer({ approval_id: question["approval_id"], response })).toMatchObject({ status: 200 });
};

describe("a server that needs input", () => {
  it("gets a person's answers with its state, and the call goes on in another step", async () => {
    askInTurn(stub, [FORM, ADDRESS]);
    const content = { region: "eu-1", replicas: 3, isPublic: false, size: "l" };
    const { asked, result } = await running(deploy(), (question) =>
      accepting(Object(question["input"]).mode === "form" ? content : undefined)(question),
    );
    expect(asked).toMatchObject([
      {
        tool: "mcp__new__deploy",
        input: {
          mode: "form",
          server: "new",
          message: "Where is it deployed?",
          fields: [
            { name: "region", title: "Region", type: "string", required: true, min: 2 },
            { name: "replicas", type: "integer", min: 1, max: 9, default: 2, required: false },
            { name: "isPublic", title: "Public", type: "boolean" },
            { name: "size", type: "choice", options: [{ value: "s", title: "Small" }, { value: "l" }] },
          ],
        },
      },
      { input: { mode: "url", url: ADDRESS["url"], host: "id.example.com" } },
    ]);
    expect(result).toMatchObject({
      success: true,
      text: JSON.stringify({ state: "1", given: { q1: { action: "accept" } } }),
      questions: [expect.stringContaining("The user answered"), expect.stringContaining("Sign in")],
    });
    const calls = stub.requests.filter(({ method }) => method === "tools/call");
    expect(calls.map(({ params }) => params["inputResponses"])).toEqual([
      undefined,
      { q0: { action: "accept", content } },
      { q1: { action: "accept" } },
    ]);
    expect(new Set(calls.map(({ params }) => JSON.stringify(params["arguments"])))).toEqual(
      new Set(['{"q":"x"}']),
    );
    // What the person wrote is the server's, and in no event.
    expect(JSON.stringify(asked)).not.toContain("eu-1");
  });

  it("is told that it was declined, cancelled or stopped, and so is the model", async () => {
    askInTurn(stub, [FORM]);
    const given = ["decline", "cancel", "stop"];
    const { results } = await running(deploy("new", ...given), (question, place) =>
      saying(given[place] ?? "")(question),
    );
    const told = ["declined", "did not answer", "declined"];
    expect(results).toMatchObject(
      ["decline", "cancel", "decline"].map((action, place) => ({
        text: JSON.stringify({ state: "0", given: { q0: { action } } }),
        questions: [expect.stringContaining(`The user ${told[place]}`)],
      })),
    );
  });

  it("is declined at once where nobody is there", async () => {
    askInTurn(stub, [FORM]);
    const program = await newTaskClient(service, chat);
    const { task_id } = await program.start(deploy());
    const events = await program.end(task_id);
    expect(events.map(({ type }) => type)).not.toContain("approval_required");
    expect(events.find(({ type }) => type === "tool_result")?.body.result).toMatchObject({
      text: JSON.stringify({ state: "0", given: { q0: { action: "decline" } } }),
      questions: [expect.stringContaining("nobody is there to answer")],
    });
  });

  it("is answered by a message as by a cancel", async () => {
    askInTurn(stub, [FORM]);
    const stream = await chat.send(deploy(), { edit_mode: "allow" });
    let next: Awaited<ReturnType<typeof chat.send>> | undefined;
    let result: unknown;
    for await (const frame of stream.frames()) {
      if (frame.type === "tool_call") result = frame.data?.["result"] ?? frame.result;
      if (frame.type === "approval_required")
        next = await chat.send(script({ text: "Later." }), { chat_id: stream.chatId });
    }
    await next?.text();
    expect(result).toMatchObject({ text: expect.stringContaining('"action":"cancel"') });
  });
});

it("an answer is checked by the schema, given once, by the task's own person, and never after the end", async () => {
  askInTurn(stub, [FORM]);
  const other = await service.signUp();
  const wrong: unknown[] = [];
  const { asked } = await running(deploy(), async ({ approval_id }) => {
    const tries: [object, string][] = [
      [{ response: "accept", content: {} }, '"Region" is required'],
      [{ response: "accept", content: { region: "x" } }, '"Region" must be 2 to'],
      [{ response: "accept", content: { region: 7 } }, '"Region" must be a text'],
      [{ response: "accept", content: { region: "eu", replicas: 1.5 } }, "must be a whole number"],
      [{ response: "accept", content: { region: "eu", replicas: 10 } }, "must be 1 to 9"],
      [{ response: "accept", content: { region: "eu", isPublic: "yes" } }, "must be true or false"],
      [{ response: "accept", content: { region: "eu", size: "m" } }, "must be one of its options"],
      [{ response: "accept", content: { region: "eu", extra: 1 } }, 'There is no field "extra"'],
      [{ response: "allow_once" }, "answer accept, decline or cancel"],
      [{ response: "allow_all" }, "answer accept, decline or cancel"],
    ];
    for (const [json, sentence] of tries) {
      const { status, body } = await answer({ approval_id, ...json });
      if (status !== 400 || !body.detail?.includes(sentence)) wrong.push({ json, status, body });
    }
    expect(await answer({ approval_id, response: "decline" }, other.token)).toMatchObject({ status: 404 });
    const good = { approval_id, response: "accept", content: { region: "eu" } };
    expect((await answer(good)).status).toBe(200);
    expect((await answer(good)).status).toBe(200);
    expect((await answer({ ...good, content: { region: "us" } })).status).toBe(409);
    expect((await answer({ approval_id, response: "decline" })).status).toBe(409);
  });
  expect(wrong).toEqual([]);
  const after = await answer({ approval_id: asked[0]?.["approval_id"], response: "cancel" });
  expect(after.status).toBe(409);
});

it("a colleague who may answer for the agent does not answer for the person", async () => {
  const team = await newTeamClient(service);
  const editor = await team.join("editor");
  const { token: owner } = team.owner;
  const { id: projectId } = await service.newProject(owner);
  await newMcpOwner(service, owner).add({ name: "new", url: stub.url });
  askInTurn(stub, [FORM]);
  const client = await newChatClient(service, { account: team.owner, projectId });
  const { data } = await frameOf(await client.send(deploy(), { edit_mode: "allow" }), "approval_required");
  const given = { approval_id: data?.["approval_id"], response: "accept", content: { region: "eu" } };
  for (const response of ["accept", "decline", "cancel", "stop", "allow_all"]) {
    expect((await answer({ ...given, response }, editor.token)).status).toBe(403);
  }
  expect((await answer(given, owner)).status).toBe(200);
});

const form = (requestedSchema?: unknown): Asked => ({ message: "m", requestedSchema });
const field = (schema: unknown) => form({ type: "object", properties: { a: schema } });
const address = (url: string): Asked => ({ mode: "url", message: "m", url });
const TEXT = { type: "string" };
const HOSTILE: Readonly<Record<string, Asked>> = {
  "an address that runs": address("javascript:alert(1)"),
  "an address of a file": address("file:///etc/passwd"),
  "an address without TLS": address("http://example.com/"),
  "an address with credentials": address("https://a:b@example.com/"),
  "an address that hides something": address("https://example.com/\u202Egpj"),
  "a message of a megabyte": { ...field(TEXT), message: "x".repeat(1_000_000) },
  "a hundred fields": form({
    type: "object",
    properties: Object.fromEntries(Array.from({ length: 100 }, (_, place) => [`f${place}`, TEXT])),
  }),
  "a nested object": field({ type: "object", properties: {} }),
  "a reference": field({ $ref: "#/x" }),
  "a list of lists": field({ type: "array", items: { type: "array" } }),
  "an alternative": field({ anyOf: [TEXT] }),
  "a password": field({ ...TEXT, format: "password" }),
  "a name that no field may have": form({ type: "object", properties: { "a b": TEXT } }),
  "a field that is required and missing": form({ type: "object", properties: {}, required: ["a"] }),
  "the server's own token": { ...field(TEXT), message: `Is ${TOKEN} right?` },
  "no schema": form(),
};

describe("a hostile question", () => {
  it("is declined at once with a sentence, whatever is wrong with it", async () => {
    stub.instead["tools/call"] = ({ params }) => {
      const { q } = Object(params["arguments"]);
      const given = params["inputResponses"];
      if (given !== undefined)
        return { resultType: "complete", content: [{ type: "text", text: JSON.stringify(given) }] };
      const inputRequests = { q0: { method: "elicitation/create", params: HOSTILE[String(q)] } };
      return { resultType: "input_required", inputRequests, requestState: "0" };
    };
    const kinds = Object.keys(HOSTILE);
    const { asked, results } = await running(deploy("new", ...kinds), saying("decline"));
    expect(asked).toEqual([]);
    const declined = {
      text: expect.stringContaining('"action":"decline"'),
      questions: [expect.stringContaining("which was declined")],
    };
    expect(results.map((result, place) => [kinds[place], result])).toMatchObject(
      kinds.map((kind) => [kind, declined]),
    );
    expect(JSON.stringify(results)).not.toContain(TOKEN);
  });

  it("ends the call when it is asked again and again", async () => {
    askInTurn(
      stub,
      Array.from({ length: 50 }, () => ADDRESS),
    );
    const { asked, result } = await running(deploy(), accepting());
    expect(asked).toHaveLength(5);
    expect(result).toMatchObject({ success: false, error: expect.stringContaining("The call was given up") });
  });

  it("for the model in the person's place is refused", async () => {
    stub.instead["tools/call"] = () => ({
      resultType: "input_required",
      inputRequests: { s: { method: "sampling/createMessage", params: { messages: [], maxTokens: 9 } } },
    });
    const { result } = await running(deploy(), async () => {});
    expect(result).toMatchObject({
      success: false,
      error: expect.stringContaining("sampling/createMessage"),
    });
    expect(stub.calls()).toHaveLength(1);
  });
});

describe("a server of an older revision", () => {
  it("is answered while its call is open", async () => {
    askMeanwhile(older, "elicitation/create", FORM);
    const { asked, result } = await running(deploy("old"), accepting({ region: "eu" }));
    expect(asked).toMatchObject([{ input: { server: "old" } }]);
    expect(result).toMatchObject({
      text: JSON.stringify({ action: "accept", content: { region: "eu" } }),
      questions: [expect.stringContaining("The user answered")],
    });
    expect(older.calls()).toHaveLength(1);
  });

  describe("that refuses a call until an address was opened", () => {
    const elicitation = { ...ADDRESS, elicitationId: "e1" };

    it("is called once more when the person has opened it", async () => {
      refuseUntil(older, elicitation);
      const { asked, result } = await running(deploy("old"), accepting());
      expect(asked).toMatchObject([{ input: { mode: "url", server: "old", url: ADDRESS["url"] } }]);
      expect(result).toMatchObject({
        success: true,
        text: expect.stringMatching(/^Called: (_meta )?arguments name$/u),
        questions: [expect.stringContaining("The user answered")],
      });
      expect(older.calls()).toHaveLength(2);
    });

    it("is not called again when the person declines", async () => {
      refuseUntil(older, elicitation);
      const { result } = await running(deploy("old"), saying("decline"));
      expect(result).toMatchObject({
        success: false,
        error: expect.stringContaining("until the user has opened its address"),
        questions: [expect.stringContaining("The user declined")],
      });
      expect(older.calls()).toHaveLength(1);
    });

    it.each([
      ["refuses it again", elicitation, 9, 1, 2],
      ["names no address", { ...FORM, mode: "form" }, 9, 0, 1],
    ])("fails the call when it %s", async (_, refused, times, questions, calls) => {
      refuseUntil(older, refused, times);
      const { asked, result } = await running(deploy("old"), accepting());
      expect(asked).toHaveLength(questions);
      expect(result).toMatchObject({ success: false, error: expect.stringContaining("-32042") });
      expect(older.calls()).toHaveLength(calls);
    });
  });

  it("is refused the model", async () => {
    askMeanwhile(older, "sampling/createMessage", { messages: [], maxTokens: 9 });
    const { result } = await running(deploy("old"), async () => {});
    expect(result).toMatchObject({ text: expect.stringContaining("-32601") });
  });

  it("whose task is stopped, or whose call it ends itself, has its question withdrawn", async () => {
    askMeanwhile(older, "elicitation/create", FORM);
    const stream = await chat.send(deploy("old"), { edit_mode: "allow" });
    const asked: unknown[] = [];
    for await (const frame of stream.frames()) {
      if (frame.type !== "approval_required") continue;
      asked.push(frame.data?.["approval_id"]);
      await service.call("POST", `/api/chat/agent/cancel/${stream.taskId}`, { token });
    }
    older.instead["tools/call"] = breakOffAfterAsking;
    const { asked: again, result } = await running(deploy("old"), async () => older.requests.at(-1));
    expect(result).toMatchObject({
      success: false,
      error: expect.stringContaining("its outcome is unknown"),
    });
    for (const approval_id of [asked[0], again[0]?.["approval_id"]]) {
      const late = await answer({ approval_id, response: "accept", content: { region: "eu" } });
      expect(late.status).toBe(409);
    }
  });
});

async function endOnceAsked(response: ServerResponse): Promise<void> {
  await vi.waitFor(async () => {
    const { body } = await service.call<unknown[]>("GET", "/api/chat/agent/approvals", { token });
    expect(body).toHaveLength(1);
  });
  response.end();
}

/** Asks in the middle of a call, and ends the connection once the question is with the person. */
const breakOffAfterAsking: NonNullable<(typeof older.instead)[string]> = (_, response) => {
  response.writeHead(200, { "content-type": "text/event-stream" });
  const message = { jsonrpc: "2.0", id: "asked", method: "elicitation/create", params: FORM };
  response.write(`data: ${JSON.stringify(message)}\n\n`);
  void endOnceAsked(response);
};
