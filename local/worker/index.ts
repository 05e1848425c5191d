import path from "node:path";
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare, type MiniflareOptions } from "miniflare";
import { buildWorker, type WorkerBuild } from "./build.ts";
import { DIRECT_NETWORK } from "./direct-network.ts";
import { openServiceLog } from "./service-log.ts";
import { SERVICE_SOCKET } from "./service-socket.ts";

export interface RunningWorker {
  /** Cron expressions of wrangler.toml. */
  crons: readonly string[];
  /** File of its log lines. */
  logFile: string;
  /** Address for DevTools, if the Worker is inspected. */
  inspectorUrl: string | undefined;
  /** Runs the Worker's `scheduled` handler. */
  runCron(expression: string): Promise<void>;
  /** Rebuilds and replaces the running Worker; after a failed build the old one continues. */
  reload(): Promise<void>;
  close(): Promise<void>;
}

// Miniflare hands these to V8 in workerd. New objects get 2 MiB in each isolate before they are cleaned up, not 16: a busy service
// keeps a fifth less memory, for the same processor time (`npm run bench -- --only memory,cpu`).
process.env["MINIFLARE_WORKERD_V8_FLAGS"] ??= "--max-semi-space-size=2";

/** Logs to standard error, because standard output belongs to the ready line. */
class StderrLog extends Log {
  protected override log(message: string): void {
    process.stderr.write(`${message}\n`);
  }
}

/**
 * Runs a build in workerd, directly on `host`:`port`: Miniflare's own entry, through which every request would pass,
 * costs more than the Worker. Objects and files are stored below `dataDir`/worker.
 */
export async function startWorker(
  first: WorkerBuild,
  options: {
    host: string;
    port: number;
    dataDir: string;
    /** The variables, which override those of wrangler.toml. */
    variables: Readonly<Record<string, string>>;
    /** Listens for DevTools, on this machine, on any free port. */
    inspected?: boolean | undefined;
    /** Called when workerd had died and runs again. */
    onRestart: () => void;
  },
): Promise<RunningWorker> {
  const log = openServiceLog(path.join(options.dataDir, "logs"));
  const configure = (build: WorkerBuild) =>
    convertV4MiniflareOptions({
      host: "127.0.0.1",
      port: 0,
      cf: false,
      log: new StderrLog(LogLevel.WARN),
      logRequests: false,
      telemetry: { enabled: false },
      resourcePersistencePath: path.join(options.dataDir, "worker"),
      unsafeTriggerHandlers: true,
      unsafeHandleRuntimeRestart: options.onRestart,
      ...(options.inspected && { inspectorHost: "127.0.0.1", inspectorPort: 0 }),
      handleStructuredLogs: (line) => log.write(line),
      workers: [
        directNetwork(),
        {
          ...build.options,
          name: "service",
          // Requests to Miniflare's entry for this name; others would go to the first Worker.
          routes: ["service/*"],
          modules: build.modules,
          modulesRoot: build.modulesRoot,
          bindings: { ...build.options.bindings, ...options.variables },
          unsafeBindings: [serviceSocket(options.host, options.port)],
        },
      ],
    });
  // `close` forgets the Miniflare: it holds the bundle (12 MiB), and whoever started this Worker may live on.
  let running: Miniflare | undefined = startKeepingSignals(configure(first));
  await running.ready;
  return {
    crons: first.options.cronTriggers,
    logFile: log.path,
    inspectorUrl: options.inspected ? (await running.getInspectorURL()).href : undefined,
    // Not through `getWorker()`: its proxy blocks this thread until workerd has responded, and workerd waits for this
    // thread once the pipe of its log lines is full.
    runCron: async (cron) => {
      const query = new URLSearchParams({ cron });
      const answer = await running?.dispatchFetch(`http://service/cdn-cgi/local/scheduled?${query}`);
      if (!answer?.ok) throw new Error(`The Worker returned ${answer?.status ?? "nothing: it is closed"}`);
    },
    reload: async () => running?.setOptions(configure(await buildWorker(buildDir(options.dataDir)))),
    close: async () => {
      await running?.dispose();
      running = undefined;
      await log.close();
    },
  };
}

/** The socket on which the service listens. */
function serviceSocket(host: string, port: number) {
  const address = `${host.includes(":") ? `[${host}]` : host}:${port}`;
  const plugin = { package: path.join(import.meta.dirname, "service-socket.ts"), name: "service-socket" };
  return { name: SERVICE_SOCKET, type: "socket", plugin, options: { address } };
}

/**
 * A Worker that receives no requests: Miniflare loads plugins Worker by Worker, and this one must come before the
 * service.
 */
function directNetwork() {
  const plugin = { package: path.join(import.meta.dirname, "direct-network.ts"), name: "direct-network" };
  return {
    name: "direct-network",
    modules: true as const,
    script: "export default {};",
    compatibilityDate: "2026-11-01",
    unsafeBindings: [{ name: DIRECT_NETWORK, type: "network", plugin, options: {} }],
  };
}

export const buildDir = (dataDir: string): string => path.join(dataDir, "build");

/**
 * Keeps Miniflare from ending the process on a signal, in the middle of an orderly stop. Its hook for the exit stays.
 */
function startKeepingSignals(options: MiniflareOptions): Miniflare {
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  const before = new Map(signals.map((signal) => [signal, process.listeners(signal)]));
  const miniflare = new Miniflare(options);
  for (const signal of signals) {
    const added = process.listeners(signal).filter((listener) => !before.get(signal)?.includes(listener));
    for (const listener of added) process.off(signal, listener);
  }
  return miniflare;
}
