import path from "node:path";
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from "miniflare";
import { buildWorker, type WorkerBuild } from "./build.ts";
import { DIRECT_NETWORK } from "./direct-network.ts";
import { openServiceLog } from "./service-log.ts";
import { SERVICE_SOCKET } from "./service-socket.ts";

export interface RunningWorker {
  /** Cron expressions of wrangler.toml. */
  crons: readonly string[];
  /** Where its log lines go. */
  logFile: string;
  /** Where DevTools connect, of a Worker that is inspected. */
  inspectorUrl: string | undefined;
  /** Run the Worker's `scheduled` handler. */
  runCron(expression: string): Promise<void>;
  /** Build again and replace the running Worker; on a failed build the old one goes on. */
  reload(): Promise<void>;
  close(): Promise<void>;
}

/** Miniflare prints to standard output, which belongs to the ready line. */
class StderrLog extends Log {
  protected override log(message: string): void {
    process.stderr.write(`${message}\n`);
  }
}

/**
 * Runs a build in workerd, on `host`:`port` directly: Miniflare's own entry, which every request would pass, costs more
 * than the Worker. Objects and files are kept below `dataDir`/worker.
 */
export async function startWorker(
  first: WorkerBuild,
  options: {
    host: string;
    port: number;
    dataDir: string;
    /** The variables, over those of wrangler.toml. */
    variables: Readonly<Record<string, string>>;
    /** Listen for DevTools, on this machine, at any free port. */
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
          // What Miniflare's entry is asked by name; anything else would go to the first Worker.
          routes: ["service/*"],
          modules: build.modules,
          modulesRoot: build.modulesRoot,
          bindings: { ...build.options.bindings, ...options.variables },
          unsafeBindings: [serviceSocket(options.host, options.port)],
        },
      ],
    });
  const miniflare = keepingSignals(() => new Miniflare(configure(first)));
  await miniflare.ready;
  return {
    crons: first.options.cronTriggers,
    logFile: log.path,
    inspectorUrl: options.inspected ? (await miniflare.getInspectorURL()).href : undefined,
    // Not through `getWorker()`: its proxy blocks this thread until workerd has answered, and workerd waits for this thread
    // once the pipe of its log lines is full.
    runCron: async (cron) => {
      const query = new URLSearchParams({ cron });
      const answer = await miniflare.dispatchFetch(`http://service/cdn-cgi/local/scheduled?${query}`);
      if (!answer.ok) throw new Error(`The Worker answered ${answer.status}`);
    },
    reload: async () => miniflare.setOptions(configure(await buildWorker(buildDir(options.dataDir)))),
    close: async () => {
      await miniflare.dispose();
      await log.close();
    },
  };
}

/** The socket the service listens on. */
function serviceSocket(host: string, port: number) {
  const address = `${host.includes(":") ? `[${host}]` : host}:${port}`;
  const plugin = { package: path.join(import.meta.dirname, "service-socket.ts"), name: "service-socket" };
  return { name: SERVICE_SOCKET, type: "socket", plugin, options: { address } };
}

/** A Worker that is never asked: Miniflare asks plugins Worker by Worker, and this one has to come before the service. */
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

/** Miniflare would end the process on a signal, half-way through an orderly stop. Its hook for the exit itself stays. */
function keepingSignals(start: () => Miniflare): Miniflare {
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  const before = new Map(signals.map((signal) => [signal, process.listeners(signal)]));
  const miniflare = start();
  for (const signal of signals) {
    const added = process.listeners(signal).filter((listener) => !before.get(signal)?.includes(listener));
    for (const listener of added) process.off(signal, listener);
  }
  return miniflare;
}
