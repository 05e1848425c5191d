import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from "miniflare";
import { startNeon } from "#stand-ins/neon/index.ts";
import { WORKER_SCRIPT } from "./worker-script.ts";

/**
 * A separate process, as the service is: an empty database and a minimal Worker, with their data in the given folder.
 */
const [dataDir = ""] = process.argv.slice(2);
const neon = await startNeon({ dataDir });
await neon.pool.query("CREATE TABLE note (id uuid PRIMARY KEY, body text NOT NULL)");
const miniflare = new Miniflare(
  convertV4MiniflareOptions({
    cf: false,
    log: new Log(LogLevel.NONE),
    logRequests: false,
    telemetry: { enabled: false },
    resourcePersistencePath: `${dataDir}/worker`,
    workers: [
      {
        name: "floor",
        modules: [{ type: "ESModule", path: "worker.js", contents: WORKER_SCRIPT }],
        compatibilityDate: "2026-11-01",
        durableObjects: { NOTES: { className: "Notes", useSQLite: true } },
        unsafeDirectSockets: [{ host: "127.0.0.1", port: 0 }],
      },
    ],
  }),
);
const workerUrl = (await miniflare.unsafeGetDirectURL("floor")).href;
process.on("disconnect", () => {
  void Promise.allSettled([miniflare.dispose(), neon.close()]).then(() => process.exit(0));
});
process.send?.({ databaseUrl: neon.databaseUrl, httpUrl: neon.httpUrl, workerUrl });
