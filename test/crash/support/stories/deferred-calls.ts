import { setTimeout as pause } from "node:timers/promises";
import { expect } from "vitest";
import { deferCalls } from "#test/support/deferring-server.ts";
import { newMcpOwner } from "#test/support/mcp-servers.ts";
import { plainTool, startMcpStub } from "#test/support/mcp-stub.ts";
import { call, newTaskClient, script } from "#test/support/task-client.ts";
import type { Story, World } from "./story.ts";

const TASKS_PER_KILL = 3;
/** Tasks begin within this time, before and after a kill. */
const SPREAD_MS = 2_000;
/** How often a server is asked until it has the result. */
const LOOKS = 3;

/** Agents that call a tool with which its server goes on, while the service that asks about it dies and comes back. */
export async function deferredCalls({ api, random }: World): Promise<Story & { close(): Promise<void> }> {
  const stub = await startMcpStub([plainTool("build")]);
  deferCalls(stub, [
    ...Array.from({ length: LOOKS }, () => ({ status: "working" })),
    { status: "completed", result: { content: [{ type: "text", text: "Built." }] } },
  ]);
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

  const begun = new Map<string, Promise<string>>();
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
      let followed = 0;
      for (const [name, each] of begun) {
        const events = await client.end(await each);
        expect(events.at(-1)).toMatchObject({ type: "done", body: { data: { status: "completed" } } });
        const calls = stub.calls().filter(({ arguments: args }) => Object(args).q === name);
        const [result, ...more] = events.filter(({ type }) => type === "tool_result");
        expect(more).toEqual([]);
        const isLost = /outcome is unknown/u.test(JSON.stringify(result?.body.result));
        if (!isLost) expect(result?.body.result).toMatchObject({ success: true, text: "Built." });
        // One whose answer was lost is not made again either.
        expect(calls.length).toBeLessThanOrEqual(1);
        if (!isLost) followed += 1;
      }
      expect(followed).toBeGreaterThan(0);
    },
    close: () => stub.close(),
  };
}
