import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Client } from "@upstash/qstash";
import { afterEach, beforeEach } from "vitest";
import type { Faults } from "#stand-ins/queue/faults.ts";
import { startQueue } from "#stand-ins/queue/index.ts";
import { startReceiver } from "./receiver.ts";

interface Options {
  publicUrl?: string;
  faults?: Faults;
}

/** Queues over a folder of each test's own, and destinations, which are closed at its end. */
export function queueWorld() {
  let dataDir: string;
  const cleanups: (() => Promise<void>)[] = [];
  beforeEach(() => {
    dataDir = mkdtempSync(path.join(tmpdir(), "queue-"));
  });
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
    rmSync(dataDir, { recursive: true });
  });
  return {
    cleanups,
    get dataDir() {
      return dataDir;
    },
    receiver: async (...reply: Parameters<typeof startReceiver>) => {
      const started = await startReceiver(...reply);
      cleanups.push(started.close);
      return started;
    },
    /** A queue that is closed at the end of the test, unless the test closes it. */
    queueTo: async (deliverTo: string, options: Options = {}) => {
      const log: string[] = [];
      const queue = await startQueue({
        dataDir,
        publicUrl: "https://service.test",
        deliverTo,
        log: (line) => log.push(line),
        ...options,
      });
      let open = true;
      const { close } = queue;
      queue.close = async () => {
        if (open) await close();
        open = false;
      };
      cleanups.push(() => queue.close());
      const client = new Client({ baseUrl: queue.url, token: queue.token, devMode: false, retry: false });
      return { queue, client, log };
    },
  };
}
