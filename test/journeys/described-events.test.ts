import { createParser } from "eventsource-parser";
import { expect, it } from "vitest";
import { z } from "zod";
import { insertBackgroundTask } from "#src/domain/workspaces/background-tasks/index.ts";
import { newChatClient, openStream } from "#test/support/chat-client.ts";
import { openCommandLine } from "#test/support/command-line.ts";
import { databaseOf } from "#test/support/database.ts";
import { otherSharedService } from "#test/support/shared-service.ts";
import { newRunningSite } from "#test/support/site.ts";
import { openSocket } from "#test/support/socket.ts";
import { call, newTaskClient, script } from "#test/support/task-client.ts";
import { readDocument, resolve, validatorOf } from "#test/surface/operations.ts";
import { fieldsOf } from "#test/support/fields.ts";

/** What the service sends on streams and sockets, by the schemas of its own OpenAPI document. */
const service = await otherSharedService("eager");
const document = await readDocument(service);
const client = await newChatClient(service);

/** What is wrong with these frames, by a schema of the document. Unknown fields are faults, as they are not described. */
function faultsOf(name: string, frames: readonly unknown[]) {
  const schema = { $ref: `#/components/schemas/${name}` };
  expect(resolve(document, schema)).toBeDefined();
  // An intersection of objects cannot be exact.
  const validator = validatorOf(document, schema, { exact: name !== "ChatServerFrame" });
  return frames.flatMap((frame) => {
    const parsed = validator.safeParse(frame);
    return parsed.success ? [] : [{ frame, problem: z.prettifyError(parsed.error) }];
  });
}

const typesOf = (frames: readonly { type: string }[]) => new Set(frames.map(({ type }) => type));

const plan = [{ step: "Write it", status: "in_progress" }];
/** A script whose run has every event of a task but failures. */
const EVERYTHING = script(
  { text: "I plan it.", tools: [call("update_plan", { action: "create", name: "work", plan })] },
  { tools: [call("read_file", { file_path: "missing.txt" })] },
  { tools: [call("write_file", { path: "a.txt", content: "a" })] },
  { text: "Done." },
);

/** The `data` of each event of a stream, to its end. */
async function dataOf(path: string, token: string) {
  const response = await fetch(service.url + path, { headers: { authorization: `Bearer ${token}` } });
  const data: { type: string }[] = [];
  const parser = createParser({ onEvent: (event) => data.push(JSON.parse(event.data)) });
  parser.feed(await response.text());
  return data;
}

it("a task's stream has only events that are described", async () => {
  const tasks = await newTaskClient(service, { account: client.account, projectId: client.projectId });
  const done = await tasks.start(EVERYTHING);
  const failed = await tasks.start(script({ error: { status: 400 } }));
  const cancelled = await tasks.start(script({ text: "a b c d e f", chunks: 6, delay_ms: 2_000 }));
  await tasks.event(cancelled.task_id, "text_delta");
  await tasks.cancel(cancelled.task_id);
  const streams = [done, failed, cancelled].map(({ events_url }) => dataOf(events_url, tasks.key));
  const events = (await Promise.all(streams)).flat();
  expect(faultsOf("TaskEvent", events)).toEqual([]);
  const inEveryRun = ["task_started", "text_delta", "tool_start", "tool_result", "tool_error", "plan_update"];
  expect([...typesOf(events)]).toEqual(
    expect.arrayContaining([...inEveryRun, "agent_step", "error", "complete", "done"]),
  );
});

it("the streams and sockets of chats have only events that are described", async () => {
  const { token } = client.account;
  const { id: chat_id } = (
    await client.call<{ id: string }>("POST", "/api/chat", { project_id: client.projectId })
  ).body;
  const watching = await openSocket(
    service.url,
    `/ws/chat/${client.projectId}?${new URLSearchParams({ token })}`,
  );
  const project = await openStream(
    service,
    "GET",
    `/api/chat/agent/stream-project?project_id=${client.projectId}`,
    { token },
  );
  const shown: unknown[] = [];
  const stream = await client.send(EVERYTHING, { chat_id, edit_mode: "ask" });
  const frames = [];
  for await (const { id: _, ...frame } of stream.frames()) {
    frames.push(frame);
    if (frame.type !== "approval_required") continue;
    // A message in the same chat waits, and says what for.
    const later = await client.send("And then?", { chat_id });
    for await (const { id: __, ...notice } of later.frames()) {
      frames.push(notice);
      if (notice.type === "waiting") break;
    }
  }
  expect(faultsOf("ChatEvent", frames)).toEqual([]);
  expect([...typesOf(frames)]).toEqual(
    expect.arrayContaining(["tool_call", "waiting", "approval_required", "approval_answered", "done"]),
  );
  for await (const frame of project.frames()) {
    const { id: _, ...body } = frame;
    shown.push(body);
    if (fieldsOf(fieldsOf(body)["event"] ?? {})["type"] === "done") break;
  }
  expect(faultsOf("ProjectStreamFrame", shown)).toEqual([]);
  await watching.next("agent_event");
  watching.send({ message: script({ text: "On the socket." }), chat_id });
  await watching.next("message_accepted");
  await watching.next("done");
  watching.send({ type: "cancel", task_id: "unknown" });
  watching.send({ type: "ping" });
  // Pings are answered without waking the object, so either may come first.
  await expect.poll(() => [...typesOf(watching.frames)]).toEqual(expect.arrayContaining(["pong", "error"]));
  expect(faultsOf("ChatServerFrame", watching.frames)).toEqual([]);
  watching.close();
});

it("the simple stream has only frames that are described", async () => {
  const { token } = client.account;
  const messages = [EVERYTHING, script({ error: { status: 400 } })];
  const frames = [];
  for (const message of messages) {
    const stream = await openStream(service, "POST", "/api/chat/stream", {
      token,
      json: { project_id: client.projectId, message },
    });
    for await (const { id: _, ...frame } of stream.frames()) frames.push(frame);
  }
  expect(faultsOf("SimpleChatFrame", frames)).toEqual([]);
  expect(typesOf(frames)).toEqual(new Set(["message", "tool_execution", "error"]));
});

it("terminals, logs, background tasks and the command line have only frames that are described", async () => {
  const { token } = client.account;
  const query = new URLSearchParams({ token });
  const site = await newRunningSite(service, token, { "hello.txt": "hello" });
  const terminal = await openSocket(
    service.url,
    `/api/terminal/${site.id}/connect?${new URLSearchParams({ token, target: "ephemeral" })}`,
  );
  await terminal.next("ready");
  terminal.send({ type: "input", data: "echo hello\n" });
  await terminal.untilOutput("hello");
  terminal.send({ type: "nothing" });
  await terminal.next("error");
  expect(faultsOf("TerminalServerFrame", terminal.frames)).toEqual([]);
  terminal.close();

  const logs = await openSocket(service.url, `/api/projects/${site.id}/logs/stream?${query}`);
  await logs.next("containers");
  logs.send({ type: "input", data: "not for logs" });
  await logs.next("error");
  expect(faultsOf("LogsServerFrame", logs.frames)).toEqual([]);
  logs.close();

  const tasks = await openSocket(service.url, "/api/tasks/ws");
  tasks.send({ token });
  // No worker runs it, so that it is still open when the socket looks.
  const background = { id: crypto.randomUUID(), userId: client.account.id, projectId: site.id };
  await insertBackgroundTask(databaseOf(service), {
    ...background,
    type: "container_start",
    status: "queued",
  });
  await tasks.next("task_update");
  tasks.send({ type: "ping" });
  await tasks.next("pong");
  expect(faultsOf("TasksServerFrame", tasks.frames)).toEqual([]);
  tasks.close();

  const { key } = await service.newKey(token, client.projectId);
  const line = await openCommandLine(service, key);
  await line.answerTo(line.say(script({ tools: [call("list_dir", { dir_path: "." })] }, { text: "Hello." })));
  line.send({ nothing: true });
  await line.next("error");
  expect(faultsOf("CommandLineServerFrame", line.frames)).toEqual([]);
  line.close();
});
