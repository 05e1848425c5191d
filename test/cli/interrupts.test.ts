import { expect, it } from "vitest";
import { pressesOf } from "../../cli/src/input/interrupts.ts";
import { serve } from "#local/serve.ts";
import { newMachine } from "./support/machine.ts";

it("takes the signal that npm passes on for the press that it repeats", () => {
  let now = 0;
  const isPress = pressesOf({ npm_command: "run-script" }, () => now);
  const at = (ms: number) => {
    now = ms;
    return isPress();
  };
  expect([0, 2, 1_000, 1_001, 1_400].map(at)).toEqual([true, false, true, false, true]);
  const isOwnPress = pressesOf({}, () => now);
  expect([isOwnPress(), isOwnPress()]).toEqual([true, true]);
});

const TASK = "01a218a0-1946-719e-a5c6-3845fb1d49eb";

it("leaves a task that was asked for once it has an id, and says how to come back", async () => {
  const asked = Promise.withResolvers<void>();
  const isLeft = Promise.withResolvers<void>();
  const service = await serve(async (request, response) => {
    if (request.method !== "POST") {
      response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
      return;
    }
    asked.resolve();
    await isLeft.promise;
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ task_id: TASK, chat_id: TASK, status: "queued", events_url: "/" }));
  });
  const machine = await newMachine({ WORKSPACE_API_KEY: "tsk_1", WORKSPACE_URL: service.url });
  const running = machine.start(["run", "-p", TASK, "Hello"]);
  await asked.promise;
  running.child.kill("SIGINT");
  await expect.poll(() => running.output().stderr).toContain("Leaving");
  isLeft.resolve();
  const ran = await running.ended;
  expect(ran).toMatchObject({ code: 130, stderr: expect.stringContaining(`workspace logs -f ${TASK}`) });
  await machine.close();
  await service.close();
});
