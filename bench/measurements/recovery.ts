import type { Bench } from "../bench.ts";
import { HttpClient } from "../http-client.ts";
import type { Figure, Measurement } from "../measurement.ts";
import { startService, type Service } from "../service.ts";
import { eventsPath, idOf, newTaskClient, script } from "../task-client.ts";

const TURN = { first_delay_ms: 400, tools: [{ name: "bash_exec", arguments: { command: "sleep 0.3" } }] };
/** More turns than the measurement lasts. */
const TURNS = 100;
/**
 * Event types before the kill: after the first, the kill falls into a model call; after the second, into a tool call.
 */
const KILLS = [
  { moment: "while the model answers", after: "agent_step" },
  { moment: "while a tool runs", after: "tool_start" },
];

export const recovery: Measurement = {
  name: "recovery",
  title: "An unfinished task after SIGKILL",
  how:
    "All processes of the service are killed while a task runs, and started again on the same data: from the ready line to " +
    "the first event that was not in the log before.",
  async run(bench) {
    await bench.rest();
    return measure(bench);
  },
};

async function measure({ dataDir }: Bench): Promise<Figure[]> {
  let service = await startService(dataDir);
  const client = await newTaskClient(service.url);
  const { key } = client;
  const turns = Array.from({ length: TURNS }, () => TURN);
  const { taskId } = await client.invoke(script([...turns, { text: "Done." }]));
  const figures: Figure[] = [];
  let last = 0;
  for (const { moment, after } of KILLS) {
    // Waits a few turns, so that the task advances between two kills.
    for (let seen = 0; seen < 3; seen += 1) last = await until(service, key, taskId, last, after);
    await service.kill();
    service = await startService(dataDir);
    const waited = await untilNew(service, key, taskId, last);
    figures.push({ what: `killed ${moment}`, value: waited / 1000, unit: "s", goal: { atMost: 10 } });
  }
  await service.kill();
  return figures;
}

/** The id of the next event of a type. */
async function until(
  service: Service,
  key: string,
  taskId: string,
  after: number,
  type: string,
): Promise<number> {
  return firstFrame(service, key, eventsPath(taskId, after), (frame) =>
    frame.includes(`\nevent: ${type}\n`) ? idOf(frame) : undefined,
  );
}

/** Milliseconds from the ready line to the first new event: a `turn_restarted`, or the first event after the replay. */
async function untilNew(service: Service, key: string, taskId: string, after: number): Promise<number> {
  let replayed = false;
  return firstFrame(service, key, eventsPath(taskId, after), (frame) => {
    const id = idOf(frame);
    // The log sends a heartbeat when the replay ends.
    if (id === undefined) replayed = true;
    else if (replayed || frame.includes("\nevent: turn_restarted\n"))
      return performance.now() - service.readyAt;
    return undefined;
  });
}

function firstFrame(
  service: Service,
  key: string,
  path: string,
  read: (frame: string) => number | undefined,
): Promise<number> {
  const http = new HttpClient(service.url, key);
  return new Promise<number>((resolve, reject) => {
    const onFrame = (frame: string) => {
      const value = read(frame);
      if (value !== undefined) resolve(value);
    };
    http.events(path, onFrame).then(() => reject(new Error("The stream ended before the event")), reject);
  }).finally(() => http.close());
}
