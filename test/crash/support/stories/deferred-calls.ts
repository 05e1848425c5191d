import { setTimeout as pause } from "node:timers/promises";
import { expect } from "vitest";
import { completed, deferCalls, heardOf, working } from "#test/support/deferring-server.ts";
import { newMcpOwner } from "#test/support/mcp-servers.ts";
import { plainTool, startMcpStub } from "#test/support/mcp-stub.ts";
import { call, newTaskClient, script } from "#test/support/task-client.ts";
import type { Story, World } from "./story.ts";

const TASKS_PER_KILL = 3;
/** Tasks begin within this time, before and after a kill. */
const SPREAD_MS = 2_000;
/** A task whose server has its result only after the last kill. */
const HELD = "held";

/** Agents that call a tool with which its server goes on, while the service that asks about it dies and comes back. */
export async function deferredCalls({ api, random }: World): Promise<Story & { close(): Promise<void> }> {
  const stub = await startMcpStub([plainTool("build")]);
  deferCalls(stub, [working(), working(), completed("Built.")]);
  let isOver = false;
  const usual = stub.instead["tasks/get"];
  stub.instead["tasks/get"] = (request, response) => {
    const { taskId } = request.params;
    if (taskId !== `task-of-${HELD}` || isOver) return usual?.(request, response);
    return { resultType: "complete", taskId, ttlMs: null, ...working() };
  };
  const client = await newTaskClient(api);
  await newMcpOwner(api, client.account.token).add({ name: "long", url: stub.url });

  /** Starts a task however often its request is lost. */
  async function started(name: string): Promise<string> {
    const message = script({ tools: [call("mcp__long__build", { q: name })] }, { text: "Done." });
    for (;;) {
      const answer = await client.invoke(message, {}, { "idempotency-key": name }).catch(() => undefined);
      if (answer?.status === 200) return answer.body.task_id;
      await pause(200);
    }
  }

  const held = await started(HELD);
  await client.event(held, "tool_progress");
  const begun = new Map([[HELD, Promise.resolve(held)]]);
  return {
    beforeKill() {
      for (let index = 0; index < TASKS_PER_KILL; index += 1) {
        const name = `deferred-${begun.size}`;
        const each = pause(random.whole(0, SPREAD_MS)).then(() => started(name));
        each.catch(() => {}); // thrown by `verify`
        begun.set(name, each);
      }
    },
    async verify() {
      isOver = true;
      for (const [name, each] of begun) {
        const events = await client.end(await each);
        expect(events.at(-1)).toMatchObject({ type: "done", body: { data: { status: "completed" } } });
        const [result, ...more] = events.filter(({ type }) => type === "tool_result");
        expect(more).toEqual([]);
        // Of a call whose answer was lost nothing is known, and it is not made again either. One that was asked about was not lost.
        const calls = stub.calls().filter(({ arguments: args }) => Object(args).q === name);
        expect(calls.length).toBeLessThanOrEqual(1);
        const wasAsked = heardOf(stub, "tasks/get").some(({ taskId }) => taskId === `task-of-${name}`);
        expect(wasAsked || name !== HELD).toBe(true);
        expect(result?.body.result).toMatchObject(
          wasAsked
            ? { success: true, text: "Built." }
            : { success: false, error: expect.stringContaining("outcome is unknown") },
        );
      }
    },
    close: () => stub.close(),
  };
}
