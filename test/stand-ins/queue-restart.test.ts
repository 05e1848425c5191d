import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import path from "node:path";
import { Client, Receiver } from "@upstash/qstash";
import { expect, it, vi } from "vitest";
import { queueWorld } from "./support/queue-world.ts";

const world = queueWorld();
const { receiver, queueTo } = world;

/** A queue in another process: it can be killed at any moment, as a crash would. */
async function spawnQueue(
  publicUrl: string,
  deliverTo: string,
): Promise<{ child: ChildProcess; client: Client }> {
  const program = path.join(import.meta.dirname, "support/queue-process.ts");
  const child = spawn(process.execPath, [program, world.dataDir, publicUrl, deliverTo], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  world.cleanups.push(() => kill(child));
  const [line] = await once(child.stdout, "data");
  const [baseUrl = "", token = ""] = String(line).trim().split(" ");
  const client = new Client({ baseUrl, token, devMode: false, retry: false });
  return { child, client };
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGKILL");
  await once(child, "exit");
}

it("delivers again at once what was under way when the process was killed", async () => {
  const destination = await receiver((_, nth) =>
    nth === 1 ? new Promise(() => undefined) : { status: 200 },
  );
  const first = await spawnQueue("http://service.test", destination.url);
  const { messageId } = await first.client.publish({ url: "http://service.test/step" });
  await destination.arrived(1);
  await kill(first.child);
  await spawnQueue("http://service.test", destination.url);
  const [, again] = await destination.arrived(2);
  expect(again?.headers["upstash-message-id"]).toBe(messageId);
});

it("delivers at once, after a restart, what failed because the service was down", async () => {
  const down = await queueTo("http://127.0.0.1:9", { publicUrl: "http://service.test" });
  down.queue.begin();
  const { messageId } = await down.client.publish({
    url: "http://service.test/step",
    retryDelay: "3600000",
  });
  await vi.waitFor(async () =>
    expect(await down.client.messages.get(messageId)).toMatchObject({ retried: 1 }),
  );
  await down.queue.close();

  const destination = await receiver();
  const up = await queueTo(destination.url, { publicUrl: "http://service.test" });
  up.queue.begin();
  await destination.arrived(1);
});

it("moves messages for an earlier public address to the present one", async () => {
  const destination = await receiver(({ path: at }) => ({ status: at === "/a/step?x=1" ? 500 : 200 }));
  const before = await queueTo("http://127.0.0.1:1111", { publicUrl: "http://127.0.0.1:1111" });
  await before.client.publish({
    url: "http://127.0.0.1:1111/a/step?x=1",
    retries: 0,
    failureCallback: "http://127.0.0.1:1111/failed",
  });
  const other = await before.client.publish({ url: "http://127.0.0.1:11119/elsewhere", delay: "1h" });
  await before.queue.close();

  const after = await queueTo(destination.url, { publicUrl: "http://127.0.0.1:2222" });
  after.queue.begin();
  const deliveries = await destination.arrived(2);
  expect(deliveries.map(({ path: at, headers }) => [at, headers.host])).toEqual([
    ["/a/step?x=1", "127.0.0.1:2222"],
    ["/failed", "127.0.0.1:2222"],
  ]);
  await expect(after.client.messages.get(other.messageId)).resolves.toMatchObject({
    url: "http://127.0.0.1:11119/elsewhere",
  });
});

it("signs what it kept under earlier keys with the present ones", async () => {
  const destination = await receiver();
  const before = await queueTo(destination.url, { publicUrl: "http://service.test" });
  await before.client.publish({ url: "http://service.test/step", body: "kept" });
  await before.queue.close();
  rmSync(path.join(world.dataDir, "queue-secret"));

  const after = await queueTo(destination.url, { publicUrl: "http://service.test" });
  expect(after.queue.currentSigningKey).not.toBe(before.queue.currentSigningKey);
  after.queue.begin();
  const [delivery] = await destination.arrived(1);
  const signature = String(delivery?.headers["upstash-signature"]);
  const { currentSigningKey, nextSigningKey } = after.queue;
  const signed = new Receiver({ currentSigningKey, nextSigningKey, devMode: false });
  await expect(signed.verify({ body: "kept", signature })).resolves.toBe(true);
});
