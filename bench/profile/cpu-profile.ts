import inspector from "node:inspector/promises";
import { z } from "zod";
import { parseJson } from "#src/lib/parse-json.ts";

/** The fields of V8's profile that are used here. Source: the DevTools protocol, `Profiler.Profile`. */
const CpuProfile = z.object({
  nodes: z.array(
    z.object({
      id: z.number(),
      callFrame: z.object({ functionName: z.string(), url: z.string(), lineNumber: z.number() }),
      children: z.array(z.number()).default([]),
    }),
  ),
  samples: z.array(z.number()),
  /** Microseconds between successive samples. */
  timeDeltas: z.array(z.number()),
});
export type CpuProfile = z.infer<typeof CpuProfile>;

const INTERVAL_MICROSECONDS = 250;

/** A V8 instance whose CPU profile can be recorded. */
export interface Profiler {
  start(): Promise<void>;
  stop(): Promise<CpuProfile>;
  close(): void;
}

/** The profiler of this process. */
export function nodeProfiler(): Profiler {
  const session = new inspector.Session();
  session.connect();
  return {
    async start() {
      await session.post("Profiler.enable");
      await session.post("Profiler.setSamplingInterval", { interval: INTERVAL_MICROSECONDS });
      await session.post("Profiler.start");
    },
    stop: async () => CpuProfile.parse((await session.post("Profiler.stop")).profile),
    close: () => session.disconnect(),
  };
}

const Targets = z.array(z.object({ id: z.string(), webSocketDebuggerUrl: z.string() }));
const Answer = z.object({
  id: z.number(),
  result: z.unknown().optional(),
  error: z.object({ message: z.string() }).optional(),
});
type Answer = z.infer<typeof Answer>;

/** The profiler of a Worker in workerd, whose inspector lists its services. Source: Chrome's `/json` endpoint. */
export async function workerProfiler(inspectorUrl: string, service: string): Promise<Profiler> {
  const list = new URL("/json", inspectorUrl.replace(/^ws/u, "http"));
  const targets = Targets.parse(await (await fetch(list)).json());
  const target = targets.find(({ id }) => id.includes(service));
  if (!target)
    throw new Error(`The inspector knows ${targets.map(({ id }) => id).join(", ")}, not ${service}`);
  const socket = new WebSocket(target.webSocketDebuggerUrl);
  await new Promise((resolve, reject) => {
    socket.addEventListener("open", resolve);
    socket.addEventListener("error", reject);
  });
  const waiting = new Map<number, (answer: Answer) => void>();
  socket.addEventListener("message", ({ data }) => {
    // Events of the inspector have no id and are ignored.
    const answer = String(data).startsWith('{"id"') ? parseJson(String(data), Answer) : undefined;
    if (answer) waiting.get(answer.id)?.(answer);
  });
  let asked = 0;
  const ask = (method: string, params: object = {}) =>
    new Promise<unknown>((resolve, reject) => {
      asked += 1;
      waiting.set(asked, ({ result, error }) =>
        error ? reject(new Error(`${method}: ${error.message}`)) : resolve(result),
      );
      socket.send(JSON.stringify({ id: asked, method, params }));
    });
  return {
    async start() {
      await ask("Profiler.enable");
      await ask("Profiler.setSamplingInterval", { interval: INTERVAL_MICROSECONDS });
      await ask("Profiler.start");
    },
    stop: async () => z.object({ profile: CpuProfile }).parse(await ask("Profiler.stop")).profile,
    close: () => socket.close(),
  };
}
