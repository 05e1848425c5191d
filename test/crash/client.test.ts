import { setTimeout as pause } from "node:timers/promises";
import { ConnectionError, ServerError, TimeoutError, Workspace, type Task } from "@agent-workspace/client";
import { expect, inject, it } from "vitest";
import { apiClient } from "#test/support/api-client.ts";
import { seeded } from "#test/support/random.ts";
import { script } from "#test/support/task-client.ts";
import { mortalService } from "./support/mortal-service.ts";
import { limitFor } from "./support/patience.ts";

/** `CRASH_KILLS=10` for a long run; `FUZZ_SEED` repeats one, as far as the moments of the kills go. */
const KILLS = Number(process.env["CRASH_KILLS"] ?? 2);
const SEED = inject("fuzzSeed");
const TASKS_PER_KILL = 3;
/** Tasks begin, and the service is killed, within this time. */
const LIFE_MS = 3_000;

const random = seeded(SEED);
const service = mortalService(() => ({
  KEY_RATE_BURST: "0",
  USER_MAX_CONCURRENT_AGENTS: "100",
  PROJECT_MAX_CONCURRENT_AGENTS: "100",
}));

/** What a request to a service meets that dies, is gone, or starts. */
const GONE = [ConnectionError, ServerError, TimeoutError];

/** Starts a task however often its request is lost: as a program does that knows what it wants under which name. */
async function startOnce(workspace: Workspace, projectId: string, name: string): Promise<Task> {
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

async function follow(task: Task): Promise<{ ids: number[]; last: string }> {
  const ids: number[] = [];
  let last = "";
  for await (const { id, type } of task.events()) {
    ids.push(id);
    last = type;
  }
  return { ids, last };
}

it(
  `shows each event once and starts each task once, over ${KILLS} kills (seed ${SEED})`,
  async () => {
    const baseUrl = await service.start();
    const api = apiClient(baseUrl);
    const { token } = await api.signUp();
    const { id: projectId } = await api.newProject(token);
    const { key } = await api.newKey(token, projectId);
    const workspace = new Workspace({ baseUrl, apiKey: key });

    const followed: Promise<{ ids: number[]; last: string }>[] = [];
    for (let kill = 1; kill <= KILLS; kill += 1) {
      for (let index = 1; index <= TASKS_PER_KILL; index += 1) {
        const name = `task-${kill}-${index}`;
        const begun = pause(random.whole(0, LIFE_MS)).then(() => startOnce(workspace, projectId, name));
        followed.push(begun.then(follow));
      }
      await pause(random.whole(500, LIFE_MS));
      await service.kill();
      await service.start();
    }

    const seen = await Promise.all(followed);
    for (const { ids, last } of seen) {
      expect(ids).toEqual(ids.map((_, index) => index + 1));
      expect(last).toBe("done");
    }
    const { total } = await workspace.tasks.list();
    expect(total).toBe(KILLS * TASKS_PER_KILL);
  },
  limitFor(KILLS),
);
