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
import { some } from "#test/support/draw.ts";
import { withOwnModel } from "./support/own-model.ts";

/** The scope that a key needs for each tool; every tool is listed. */
const SCOPES: Record<string, string | null> = {
  read_file: "file.read",
  write_file: "file.write",
  patch_file: "file.write",
  multi_edit: "file.write",
  read_many_files: "file.read",
  view_image: "file.read",
  list_dir: "file.read",
  glob: "file.read",
  grep: "file.read",
  bash_exec: "terminal.access",
  git_status: "git.view",
  git_diff: "git.view",
  git_log: "git.view",
  git_blame: "git.view",
  // The chat's own list, which is no file.
  todos: null,
  update_plan: "file.write",
  memory_read: "file.read",
  memory_write: "file.write",
  get_project_info: "project.view",
  shell_open: "terminal.access",
  shell_exec: "terminal.access",
  write_stdin: "terminal.access",
  shell_close: "terminal.access",
  web_fetch: "file.read",
  web_search: "file.read",
  send_message: "channel.manage",
  manage_schedule: "project.edit",
};

const SECRET = `secret-${crypto.randomUUID()}`;
const CHATTING = ["chat.send", "chat.view"];

const OfferedTools = z.array(z.object({ function: z.object({ name: z.string() }) }));

/** A call of each tool that would show the secret, or change the project. */
const CALLS = [
  call("read_file", { file_path: "plans.txt" }),
  call("read_many_files", { include: ["**/*"] }),
  call("grep", { pattern: "secret", output_mode: "content" }),
  call("glob", { pattern: "*" }),
  call("list_dir", { dir_path: "." }),
  call("view_image", { path: "plans.txt" }),
  call("memory_read", {}),
  call("bash_exec", { command: "cat plans.txt; echo x > made.txt" }),
  call("shell_open", {}),
  call("write_file", { file_path: "made.txt", content: "x" }),
  call("patch_file", { file_path: "plans.txt", old_str: "secret", new_str: "x" }),
  call("multi_edit", { file_path: "plans.txt", edits: [{ old_str: "secret", new_str: "x" }] }),
  call("memory_write", { section: "a", body: "b" }),
  call("update_plan", { action: "create", name: "a", plan: [{ step: "a", status: "pending" }] }),
  call("git_status", {}),
  call("git_diff", {}),
  call("git_log", {}),
  call("git_blame", { path: "plans.txt" }),
  call("get_project_info", {}),
  call("web_fetch", { url: "https://example.com/" }),
  call("send_message", { channel: "discord", text: "x" }),
  call("manage_schedule", { action: "create", name: "a", schedule: "daily at 9", prompt: "x" }),
];

it("binds every tool to a scope that the table names", () => {
  expect(Object.fromEntries(tools.map(({ name, scope }) => [name, scope]))).toEqual(SCOPES);
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

  it("does nothing that the key may not do, and the task goes on", async () => {
    const key = await newKey(CHATTING);
    const calls = some(CALLS, 8);
    const { events } = await invoke(key, script({ tools: calls }, { text: "Done." }));
    const refusals = calls.map(({ name }) => [
      name,
      `The API key of this task lacks the scope ${SCOPES[name]}, which ${name} needs.`,
    ]);
    expect(resultsOf(events)).toEqual(Object.fromEntries(refusals));
    expect(JSON.stringify(events)).not.toContain(SECRET);
    expect(events.at(-1)).toMatchObject({ type: "done" });
    const { text } = await service.call("GET", `/api/projects/${projectId}/files/tree`, owner);
    expect(text).not.toMatch(/made\.txt|\.workspace/u);
  });

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
    const stream = await openStream(service, "POST", "/api/chat/agent/stream", {
      token: key,
      json: { project_id: projectId, chat_id: chat.body.id, message, edit_mode: "ask" },
    });
    expect(await stream.text()).toContain("lacks the scope file.read");
    const socket = await openSocket(service.url, `/ws/chat/${projectId}?token=${key}`);
    socket.send({ message, chat_id: chat.body.id, edit_mode: "allow" });
    await socket.next("done");
    expect(JSON.stringify(socket.frames)).toContain("lacks the scope file.read");
    expect(JSON.stringify(socket.frames)).not.toContain(SECRET);
    socket.close();
  });

  it("asks for no approval of a call that the key may not make", async () => {
    const key = await newKey(CHATTING);
    const message = script({ tools: [call("bash_exec", { command: "true" })] }, { text: "." });
    const json = { project_id: projectId, message, edit_mode: "ask" };
    const stream = await openStream(service, "POST", "/api/chat/agent/stream", { token: key, json });
    const text = await stream.text();
    expect(text).toContain("lacks the scope terminal.access");
    expect(text).not.toContain("approval_required");
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
      const granted = Object.keys(SCOPES).filter((name) => {
        const scope = SCOPES[name] ?? null;
        return name !== "web_search" && (scope === null || scopes.includes(scope));
      });
      expect(shown).toEqual({ names: granted, seesInstructions: scopes.includes("file.read") });
    },
  );

  it("is offered all where the key has no list of scopes, as a person's is", async () => {
    const all = Object.keys(SCOPES).filter((name) => name !== "web_search");
    for (const token of [await person.newKey(null), person.owner.token]) {
      expect(await shownTo(token)).toEqual({ names: all, seesInstructions: true });
    }
  });
});
