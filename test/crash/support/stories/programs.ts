import { setTimeout as pause } from "node:timers/promises";
import { ConnectionError, ServerError, TimeoutError, Workspace, type Task } from "@agent-workspace/client";
import { expect } from "vitest";
import { script } from "#test/support/task-client.ts";
import type { Story, World } from "./story.ts";

const TASKS_PER_KILL = 2;
/** Tasks of a program begin within this time, before and after a kill. */
const SPREAD_MS = 2_000;

/** What a request to a service meets that dies, is gone, or starts. */
const GONE = [ConnectionError, ServerError, TimeoutError];

async function follow(task: Task): Promise<{ ids: number[]; last: string }> {
  const ids: number[] = [];
  let last = "";
  for await (const { id, type } of task.events()) {
    ids.push(id);
    last = type;
  }
  return { ids, last };
}

/** A program that starts tasks and follows them with the client alone, as if nothing ever happened to the service. */
export async function programs({ api, random }: World): Promise<Story> {
  const { token } = await api.signUp("programmer");
  const { id: projectId } = await api.newProject(token);
  const { key } = await api.newKey(token, projectId);
  const workspace = new Workspace({ baseUrl: api.url, apiKey: key });

  /** Starts a task however often its request is lost: as a program does that knows what it wants under which name. */
  async function startOnce(name: string): Promise<Task> {
    const turn = { text: name, first_delay_ms: random.whole(0, 1_500) };
    const body = { project_id: projectId, message: script(turn) };
    for (;;) {
      try {
        return await workspace.tasks.invoke(body, { idempotencyKey: name });
      } catch (error) {
        // The client has given up after its own attempts; the service takes longer to start.
        if (!GONE.some((Passing) => error instanceof Passing)) throw error;
      }
    }
  }

  const followed: Promise<{ ids: number[]; last: string }>[] = [];
  return {
    beforeKill() {
      for (let index = 0; index < TASKS_PER_KILL; index += 1) {
        const name = `task-${followed.length}`;
        const begun = pause(random.whole(0, SPREAD_MS)).then(() => startOnce(name));
        const each = begun.then(follow);
        each.catch(() => {}); // thrown by `verify`
        followed.push(each);
      }
    },
    async verify() {
      for (const { ids, last } of await Promise.all(followed)) {
        expect(ids).toEqual(ids.map((_, index) => index + 1));
        expect(last).toBe("done");
      }
      expect((await workspace.tasks.list()).total).toBe(followed.length);
    },
  };
}
