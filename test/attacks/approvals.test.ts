import type { api } from "@agent-workspace/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  newChatClient,
  type ChatClient,
  type ChatFrame,
  type ChatStream,
} from "#test/support/chat-client.ts";
import { startScriptedProvider, type ScriptedProvider } from "#test/support/scripted-provider.ts";
import { otherSharedService, sharedService } from "#test/support/shared-service.ts";
import { openSocket } from "#test/support/socket.ts";
import { call, newTaskClient, script } from "#test/support/task-client.ts";
import { newTeamClient, type TeamClient } from "#test/support/team-client.ts";
import { fieldsOf } from "#test/support/fields.ts";
import { withOwnModel } from "./support/own-model.ts";

/** `echo harmless` once it is decoded; to an eye for secrets it looks like one. */
const PAYLOAD = "ZWNobyBoYXJtbGVzcyAjIHhRN3YyTDlrVDRtUjhwVzE=";
const HIDING = `echo ${PAYLOAD} | base64 -d | sh`;
/** A value that is stored with the project as a secret. */
const STORED = "wJalrXUtnFEMI7K7MDENGbPxRfiCYzEXAMPLE";

const service = sharedService();
let team: TeamClient;
let client: ChatClient;

beforeAll(async () => {
  team = await newTeamClient(service);
  const { token } = team.owner;
  const { id: projectId } = await service.newProject(token);
  client = await newChatClient(service, { account: team.owner, projectId });
  // A file of the repository: its values count as known secrets, and the author of the repository chooses them.
  await client.call("PUT", `/api/projects/${projectId}/files/.env`, { content: `DEPLOY_TOKEN=${PAYLOAD}\n` });
  const made = await client.call<{ container: { id: string } }>(
    "POST",
    `/api/projects/${projectId}/containers`,
    { name: "web", project_id: projectId, directory: ".", env_vars: { API_TOKEN: STORED } },
  );
  if (made.status !== 200) throw new Error(`No container: ${made.text}`);
});

/** Have the agent make these calls, one a turn, and allow each: what was shown of the last question, where, and its result. */
async function askedAbout(...calls: object[]) {
  const message = script(...calls.map((each) => ({ tools: [each] })), { text: "Done." });
  const chat = await client.call<{ id: string }>("POST", "/api/chat", { project_id: client.projectId });
  const stream = await client.send(message, { chat_id: chat.body.id, edit_mode: "ask" });
  return allowing(client, stream);
}

/** One approval as it is read alone, and in the list of its project. */
async function readApproval(of: ChatClient, id: string) {
  const path = "/api/chat/agent/approvals";
  const { body: whole } = await of.call<api.GetApprovalAnswer>("GET", `${path}/${id}`);
  const { body } = await of.call<api.GetApprovalAnswer[]>("GET", `${path}?project_id=${of.projectId}`);
  return { whole, listed: body.find(({ approval_id }) => approval_id === id) };
}

async function allowing(of: ChatClient, stream: ChatStream) {
  const frames: ChatFrame[] = [];
  let read: Partial<Awaited<ReturnType<typeof readApproval>>> = {};
  for await (const frame of stream.frames()) {
    frames.push(frame);
    if (frame.type !== "approval_required") continue;
    const id = String(frame.data?.["approval_id"]);
    read = await readApproval(of, id);
    await of.call("POST", "/api/chat/agent/approval", { approval_id: id, response: "allow_once" });
  }
  const event = frames.findLast(({ type }) => type === "approval_required");
  const result = frames.findLast(({ type }) => type === "tool_call")?.data?.["result"];
  return { event, ...read, result };
}

describe("the approver", () => {
  it("can read all of a long call, and is told that an event shows a part", async () => {
    const command = `: ${"a".repeat(3_500)}; echo hidden in the middle; : ${"b".repeat(3_500)}`;
    const { event, whole, listed, result } = await askedAbout(call("bash_exec", { command }));
    expect(event?.data).toMatchObject({
      parameters_shortened: true,
      tool: "bash_exec",
      approval_url: `/api/chat/agent/approvals/${whole?.approval_id}`,
    });
    expect(JSON.stringify(event)).not.toContain("hidden in the middle");
    expect(whole?.parameters).toEqual({ command });
    expect(listed?.parameters).toEqual({ command });
    expect(result).toMatchObject({ success: true, stdout: "hidden in the middle\n" });
  });

  it("reads a payload that looks like a secret, also where a file of the project names it one", async () => {
    // The agent has read the file: from then on its values are known, and hidden elsewhere.
    const reading = call("bash_exec", { command: "cat .env" });
    const { event, whole, listed } = await askedAbout(reading, call("bash_exec", { command: HIDING }));
    expect(event?.data).toMatchObject({ parameters: { command: HIDING }, parameters_shortened: false });
    expect(event?.args).toEqual({ command: HIDING });
    expect(whole?.parameters).toEqual({ command: HIDING });
    expect(listed?.parameters).toEqual({ command: HIDING });
  });

  it("is shown the name of a stored secret in place of its value, and everything around it", async () => {
    const command = `echo ${STORED} | base64 -d | sh; echo ${btoa(`x${STORED}`)}`;
    const { event, whole, listed } = await askedAbout(call("bash_exec", { command, env: { A: STORED } }));
    const shown = { env: { A: "«secret:API_TOKEN»" } };
    for (const parameters of [event?.data?.["parameters"], whole?.parameters, listed?.parameters]) {
      expect(parameters).toMatchObject(shown);
      expect(fieldsOf(parameters)["command"]).toMatch(/^echo «secret:API_TOKEN» \| base64 -d \| sh; echo /u);
      expect(JSON.stringify(parameters)).not.toContain(STORED);
      expect(JSON.stringify(parameters)).not.toContain(btoa(`x${STORED}`));
    }
  });
});

/** Arguments of a write of so many bytes in all, and what it writes. */
const contentOf = (bytes: number) =>
  "x".repeat(bytes - JSON.stringify({ file_path: "a", content: "" }).length);
const writing = (bytes: number) => [JSON.stringify({ file_path: "a", content: contentOf(bytes) })];

describe("a call that is too large to be read", () => {
  let provider: ScriptedProvider;
  let writer: ChatClient;
  let model: string;
  beforeAll(async () => {
    provider = await startScriptedProvider({
      // The next request contains the tool's result.
      "the limit is 65536": { text: ["Then not."] },
      "Wrote a": { text: ["Done."] },
      "write too much": { call: writing(65_537) },
      "write a lot": { call: writing(65_536) },
      "": { text: ["A title"] },
    });
    // It reaches the provider on this machine.
    const eager = await otherSharedService("eager");
    writer = await newChatClient(eager);
    model = await withOwnModel(eager, writer.account, provider.origin);
  });
  afterAll(() => provider?.close());

  const newChat = async () => {
    const chat = await writer.call<{ id: string }>("POST", "/api/chat", { project_id: writer.projectId });
    return { chat_id: chat.body.id, edit_mode: "ask", model };
  };

  it("is refused before the approver is asked, and the model is told", async () => {
    const stream = await writer.send("write too much", await newChat());
    const { event, result } = await allowing(writer, stream);
    expect(event).toBeUndefined();
    expect(result).toMatchObject({
      success: false,
      error: expect.stringContaining("65537 bytes, the limit is 65536"),
      suggestion: expect.stringContaining("smaller calls"),
    });
    expect((await writer.call("GET", `/api/projects/${writer.projectId}/files/a`)).status).toBe(404);
  });

  it("is asked about, whole, up to the limit", async () => {
    const shown = await allowing(writer, await writer.send("write a lot", await newChat()));
    const parameters = { file_path: "a", content: contentOf(65_536) };
    expect(shown.event?.data).toMatchObject({ parameters_shortened: true });
    expect(shown.whole?.parameters).toEqual(parameters);
    expect(shown.listed?.parameters).toEqual(parameters);
    expect(shown.result).toMatchObject({ success: true });
  });
});

it("a question is read at the address that its event names by those who may write in the project, and by no other person", async () => {
  const socket = await openSocket(service.url, `/ws/chat/${client.projectId}?token=${team.owner.token}`);
  socket.send({ message: script({ tools: [call("bash_exec", { command: "true" })] }), edit_mode: "ask" });
  const event = await socket.next("approval_required");
  const { approval_url: url, approval_id } = fieldsOf(event["data"]);
  const colleague = await team.join("editor");
  const viewer = await team.join("viewer");
  const stranger = await service.signUp();
  const { key } = await newTaskClient(service, { account: team.owner, projectId: client.projectId });
  const elsewhere = await service.newKey(team.owner.token, (await service.newProject(team.owner.token)).id);
  const status = async (token: string) => (await service.call("GET", String(url), { token })).status;
  expect({
    owner: await status(team.owner.token),
    colleague: await status(colleague.token),
    key: await status(key),
    viewer: await status(viewer.token),
    stranger: await status(stranger.token),
    "key of another project": await status(elsewhere.key),
  }).toEqual({
    owner: 200,
    colleague: 200,
    key: 200,
    viewer: 403,
    stranger: 404,
    "key of another project": 403,
  });
  socket.send({ type: "approval_response", approval_id, response: "stop" });
  await socket.next("done");
  const after = await client.call<api.GetApprovalAnswer>("GET", String(url));
  expect(after).toMatchObject({ status: 200, body: { approval_id, response: "stop" } });
  socket.close();
});
