import { expect, it } from "vitest";
import { apiClient } from "#test/support/api-client.ts";
import { frameOf, newChatClient, openStream } from "#test/support/chat-client.ts";
import { call, script } from "#test/support/task-client.ts";
import { mortalService } from "./support/mortal-service.ts";
import { limitFor } from "./support/patience.ts";

const service = mortalService();

it(
  "a question outlives the service that put it, and so does what comes after the answer",
  { timeout: limitFor(1) },
  async () => {
    const api = apiClient(await service.start());
    const client = await newChatClient(api);
    const message = script(
      { text: "First.", tools: [call("bash_exec", { command: "echo once >> log.txt" })] },
      { text: "Second.", tools: [call("write_file", { path: "b.txt", content: "b" })] },
      { text: "Done." },
    );
    const run = await client.send(message);
    const question = await frameOf(run, "approval_required");
    const { body: other } = await client.call<{ id: string }>("POST", "/api/chat", {
      project_id: client.projectId,
    });
    const stopped = await client.send(message, { chat_id: other.id });
    await frameOf(stopped, "approval_required");
    await service.kill();

    await service.start();
    const answer = (id: unknown, response: string) =>
      client.call("POST", "/api/chat/agent/approval", { approval_id: id, response });
    // No executor has begun the task meanwhile: the question still stands.
    const active = await client.call<{ task_id: string }>(
      "GET",
      `/api/chat/agent/active?project_id=${client.projectId}&chat_id=${run.chatId}`,
    );
    expect(active.body).toMatchObject({ task_id: run.taskId });
    expect(await answer(question.data?.["approval_id"], "allow_once")).toMatchObject({ status: 200 });
    const frames = [];
    const seen = new Set<unknown>([question.data?.["approval_id"]]);
    const path = `/api/chat/agent/events/${run.taskId}`;
    const live = await openStream(api, "GET", path, { token: client.account.token });
    for await (const frame of live.frames()) {
      frames.push(frame);
      const id = frame.data?.["approval_id"];
      if (id === undefined || seen.has(id)) continue;
      seen.add(id);
      expect((await answer(id, "allow_once")).status).toBe(200);
    }
    expect(frames.at(-1)).toMatchObject({ type: "done", data: { status: "completed" } });
    // What ran before the restart did not run a second time, and the questions were put once.
    const file = await client.call<{ content: string }>(
      "GET",
      `/api/projects/${client.projectId}/files/log.txt`,
    );
    expect(file.body.content).toBe("once\n");
    expect(seen.size).toBe(2);

    expect((await client.call("POST", `/api/chat/agent/cancel/${stopped.taskId}`)).status).toBe(200);
    expect((await client.replay(stopped.taskId)).at(-1)).toMatchObject({ data: { status: "cancelled" } });
  },
);
