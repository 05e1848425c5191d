import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { tools } from "#src/agent/tools/index.ts";
import type { Account, ApiClient } from "#test/support/api-client.ts";
import { newChatClient, openStream } from "#test/support/chat-client.ts";
import { startScriptedProvider, type ScriptedProvider } from "#test/support/scripted-provider.ts";
import { otherSharedService, sharedService, type SharedService } from "#test/support/shared-service.ts";
import { openSocket } from "#test/support/socket.ts";
import { call, script, type Invoked } from "#test/support/task-client.ts";
import { collectEvents, type TaskEvent } from "#test/support/events.ts";
import { withOwnModel } from "./support/own-model.ts";

/** The tools that each scope grants; every tool is listed. */
const GRANTED = {
  "file.read": "read_file read_many_files view_image list_dir glob grep memory_read web_fetch web_search",
  "file.write": "write_file patch_file multi_edit update_plan memory_write",
  "terminal.access": "bash_exec shell_open shell_exec write_stdin shell_close",
  "git.view": "git_status git_diff git_log git_blame",
  "project.view": "get_project_info",
  "channel.manage": "send_message",
  "project.edit": "manage_schedule",
  // The chat's own list, which is no file.
  none: "todos",
};
const SCOPES = new Map(
  Object.entries(GRANTED).flatMap(([scope, names]) => names.split(" ").map((name) => [name, scope] as const)),
);

const SECRET = `secret-${crypto.randomUUID()}`;
const CHATTING = ["chat.send", "chat.view"];

const OfferedTools = z.array(z.object({ function: z.object({ name: z.string() }) }));

it("binds every tool to a scope that the table names", () => {
  expect(new Map(tools.map(({ name, scope }) => [name, scope ?? "none"]))).toEqual(SCOPES);
});

/** A person whose project has a secret in its files. */
async function newOwner(service: ApiClient) {
  const owner = await service.signUp();
  const { token } = owner;
  const { id: projectId } = await service.newProject(token);
  for (const path of ["plans.txt", "AGENTS.md"]) {
    const json = { content: `${SECRET}\n` };
    await service.call("PUT", `/api/projects/${projectId}/files/${path}`, { token, json });
  }
  const newKey = async (scopes: readonly string[] | null) => {
    const json = { name: "bound", scopes };
    const made = await service.call<{ key: string }>("POST", "/api/external-api-keys", { token, json });
    return made.body.key;
  };
  return { owner, projectId, newKey };
}

/** The result of each call, by the name of its tool. */
const resultsOf = (events: readonly TaskEvent[]) =>
  Object.fromEntries(
    events
      .filter(({ type }) => type === "tool_result")
      .map(({ body }) => [body.tool, String(body.result?.["error"])] as const),
  );

describe("the agent of a key", () => {
  const service = sharedService();
  let owner: Account;
  let projectId: string;
  let newKey: Awaited<ReturnType<typeof newOwner>>["newKey"];
  beforeAll(async () => {
    ({ owner, projectId, newKey } = await newOwner(service));
  });

  async function invoke(key: string, message: string, fields: object = {}) {
    const json = { project_id: projectId, message, ...fields };
    const started = await service.call<Invoked>("POST", "/api/external/agent/invoke", { token: key, json });
    const events = await collectEvents({ url: service.url, key, taskId: started.body.task_id });
    return { ...started.body, events };
  }

  it("is bound by the key's scopes also in a chat that its owner began", async () => {
    const first = await newChatClient(service, { account: owner, projectId });
    const chat = await first.call<{ id: string }>("POST", "/api/chat", { project_id: projectId });
    await first.ask(script({ tools: [call("list_dir", { dir_path: "." })] }, { text: "." }), {
      chat_id: chat.body.id,
      edit_mode: "allow",
    });
    const key = await newKey(CHATTING);
    const message = script({ tools: [call("read_file", { file_path: "plans.txt" })] }, { text: "." });
    const { events } = await invoke(key, message, { chat_id: chat.body.id });
    expect(resultsOf(events)["read_file"]).toContain("lacks the scope file.read");
    // Nobody is asked to approve a call that the key may not make.
    const asking = script({ tools: [call("bash_exec", { command: "true" })] }, { text: "." });
    const stream = await openStream(service, "POST", "/api/chat/agent/stream", {
      token: key,
      json: { project_id: projectId, chat_id: chat.body.id, message: asking, edit_mode: "ask" },
    });
    const shown = await stream.text();
    expect(shown).toContain("lacks the scope terminal.access");
    expect(shown).not.toContain("approval_required");
    const socket = await openSocket(service.url, `/ws/chat/${projectId}?token=${key}`);
    socket.send({ message, chat_id: chat.body.id, edit_mode: "allow" });
    await socket.next("done");
    expect(JSON.stringify(socket.frames)).toContain("lacks the scope file.read");
    expect(JSON.stringify(socket.frames)).not.toContain(SECRET);
    socket.close();
  });

  it("shows the model no file of the project that a message names", async () => {
    const key = await newKey(CHATTING);
    for (const type of ["file_reference", "image"]) {
      const attachments = [{ type, file_path: "plans.txt", mime_type: "image/png" }];
      const json = { project_id: projectId, message: "What is in it?", attachments };
      const { status, body } = await service.call("POST", "/api/chat/agent/stream", { token: key, json });
      expect({ status, body }).toEqual({
        status: 403,
        body: { detail: "API key lacks required scope: file.read" },
      });
    }
  });
});

describe("the model of a key's agent", () => {
  let provider: ScriptedProvider;
  let service: SharedService;
  let person: Awaited<ReturnType<typeof newOwner>>;
  let model: string;
  beforeAll(async () => {
    provider = await startScriptedProvider({ "": { text: ["Hello."] } });
    // It reaches the provider on this machine.
    service = await otherSharedService("eager");
    person = await newOwner(service);
    model = await withOwnModel(service, person.owner, provider.origin);
  });
  afterAll(() => provider?.close());

  /** The tools that a model was offered, and whether it was shown what AGENTS.md says. */
  async function shownTo(token: string) {
    const before = provider.asked.length;
    const json = { project_id: person.projectId, message: "Hello", model };
    await (await openStream(service, "POST", "/api/chat/agent/stream", { token, json })).text();
    const asked = provider.asked.slice(before).map(({ body }) => body);
    const agent = asked.find((body) => Array.isArray(body["tools"]));
    const offered = OfferedTools.parse(agent?.["tools"] ?? []);
    return {
      names: offered.map(({ function: { name } }) => name),
      seesInstructions: JSON.stringify(asked).includes(SECRET),
    };
  }

  it.each([{ scopes: [...CHATTING, "file.read"] }, { scopes: [...CHATTING, "file.write", "git.view"] }])(
    "is offered what the key grants, and not the rest: $scopes",
    async ({ scopes }) => {
      const shown = await shownTo(await person.newKey(scopes));
      const granted = tools
        .map(({ name }) => name)
        .filter((name) => name !== "web_search" && [...scopes, "none"].includes(SCOPES.get(name) ?? ""));
      expect(shown).toEqual({ names: granted, seesInstructions: scopes.includes("file.read") });
    },
  );
});
