import { expect } from "vitest";
import { frameOf, newChatClient, openStream } from "#test/support/chat-client.ts";
import { call, script } from "#test/support/task-client.ts";
import type { HeldOutcomes } from "../held-outcomes.ts";
import type { Story, World } from "./story.ts";

/** A task that asks twice, and the question that waits. */
interface Asking {
  taskId: string;
  asked: unknown[];
}

const write = (path: string) => call("write_file", { path, content: path });

/**
 * Tasks that have taken so long that their person gets mails: at each kill one puts its second question, and another one ends.
 * Mails are sent once or, of a killed executor, twice: here only their tasks are verified.
 */
export async function mails({ api }: World, outcomes: HeldOutcomes): Promise<Story> {
  const client = await newChatClient(api);
  await outcomes.query(
    "UPDATE users SET task_mail = true, is_verified = true WHERE id = $1",
    client.account.id,
  );
  const message = script({ tools: [write("a.txt")] }, { tools: [write("b.txt")] }, { text: "Done." });

  async function begin(): Promise<Asking> {
    const { body: chat } = await client.call<{ id: string }>("POST", "/api/chat", {
      project_id: client.projectId,
    });
    const run = await client.send(message, { chat_id: chat.id });
    const question = await frameOf(run, "approval_required");
    await outcomes.query(
      "UPDATE tasks SET started_at = started_at - interval '2 minutes' WHERE id = $1",
      run.taskId,
    );
    return { taskId: run.taskId, asked: [question.data?.["approval_id"]] };
  }
  /** The question that comes after an answered one. */
  async function next({ taskId, asked }: Asking): Promise<Asking> {
    const path = `/api/chat/agent/events/${taskId}`;
    const { token } = client.account;
    const stream = await openStream(api, "GET", path, { token });
    for await (const { data } of stream.frames()) {
      const id = data?.["approval_id"];
      if (id !== undefined && !asked.includes(id)) return { taskId, asked: [...asked, id] };
    }
    throw new Error("The task has ended without its second question");
  }
  const allow = (asking: Asking | undefined) =>
    asking &&
    client.call("POST", "/api/chat/agent/approval", {
      approval_id: asking.asked.at(-1),
      response: "allow_once",
    });

  const all: string[] = [];
  let first: Asking | undefined = await begin();
  let second: Asking | undefined;
  return {
    async beforeKill() {
      await Promise.all([allow(first), allow(second)]);
      all.push(...(second ? [second.taskId] : []));
    },
    async back() {
      second = first && (await next(first));
      first = await begin();
    },
    async verify() {
      if (first) await allow(first);
      for (const last of [first && (await next(first)), second]) {
        await allow(last);
        all.push(...(last ? [last.taskId] : []));
      }
      for (const taskId of all)
        expect((await client.replay(taskId)).at(-1)).toMatchObject({ data: { status: "completed" } });
    },
  };
}
