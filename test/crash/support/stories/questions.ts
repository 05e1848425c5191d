import { expect } from "vitest";
import { frameOf, newChatClient, openStream } from "#test/support/chat-client.ts";
import { call, script } from "#test/support/task-client.ts";
import type { Story, World } from "./story.ts";

/** Two tasks that wait for a person's answer: one is allowed after the kills, the other is cancelled. */
export async function questions({ api }: World): Promise<Story> {
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

  return {
    async verify() {
      const answer = (id: unknown) =>
        client.call("POST", "/api/chat/agent/approval", { approval_id: id, response: "allow_once" });
      // No executor has begun the task meanwhile: the question still stands.
      const active = await client.call<{ task_id: string }>(
        "GET",
        `/api/chat/agent/active?project_id=${client.projectId}&chat_id=${run.chatId}`,
      );
      expect(active.body).toMatchObject({ task_id: run.taskId });
      const first = question.data?.["approval_id"];
      expect((await answer(first)).status).toBe(200);
      const asked = new Set<unknown>([first]);
      const frames = [];
      const path = `/api/chat/agent/events/${run.taskId}`;
      const live = await openStream(api, "GET", path, { token: client.account.token });
      for await (const frame of live.frames()) {
        frames.push(frame);
        const id = frame.data?.["approval_id"];
        if (id === undefined || asked.has(id)) continue;
        asked.add(id);
        expect((await answer(id)).status).toBe(200);
      }
      expect(frames.at(-1)).toMatchObject({ type: "done", data: { status: "completed" } });
      // What ran before a kill did not run a second time, and the questions were put once.
      const log = `/api/projects/${client.projectId}/files/log.txt`;
      expect((await client.call("GET", log)).body).toMatchObject({ content: "once\n" });
      expect(asked.size).toBe(2);

      expect((await client.call("POST", `/api/chat/agent/cancel/${stopped.taskId}`)).status).toBe(200);
      expect((await client.replay(stopped.taskId)).at(-1)).toMatchObject({ data: { status: "cancelled" } });
    },
  };
}
