import { newTaskClient, runTasks } from "../task-client.ts";
import { nodeProfiler, workerProfiler } from "./cpu-profile.ts";
import { startInspectedService } from "./inspected-service.ts";
import { bundledModules, fileModules } from "./modules.ts";
import { timesOf, type Spent, type Times } from "./self-times.ts";

const WARM_UP = 300;
const TASKS = 500;
const FUNCTIONS = 45;
const AREAS = 20;

/**
 * Where the CPU time of a one-turn task goes, by function: a list for the Worker and one for Node, in which the callers
 * run too. Only what V8 sees: `--only cpu` includes system calls and workerd's own work.
 */
export async function profile(say: (text: string) => void): Promise<void> {
  const service = await startInspectedService();
  try {
    const client = await newTaskClient(service.url);
    await runTasks(client, WARM_UP);
    const worker = await workerProfiler(service.inspectorUrl, "service");
    const node = nodeProfiler();
    await Promise.all([worker.start(), node.start()]);
    await runTasks(client, TASKS);
    const [inWorker, inNode] = await Promise.all([worker.stop(), node.stop()]);
    for (const each of [worker, node]) each.close();
    client.http.close();
    say(format("workerd", timesOf(inWorker, bundledModules(service.bundleDir))));
    say(format("Node", timesOf(inNode, fileModules)));
  } finally {
    await service.close();
  }
}

function format(title: string, { functions, areas }: Times): string {
  const whole = areas.reduce((sum, { self }) => sum + self, 0);
  const head = `${"self".padStart(8)}${"with what it calls".padStart(20)}`;
  return [
    `${title}: ${perTask(whole)} ms per one-turn task, ${TASKS} tasks; milliseconds per task`,
    head,
    ...areas.slice(0, AREAS).map(line),
    "",
    head,
    ...functions.slice(0, FUNCTIONS).map(line),
    "",
    "The project's own by what they call",
    ...functions
      .filter(({ where }) => /  (src|functions|durable-objects|local|stand-ins|hosts)\//u.test(where))
      .toSorted((a, b) => b.total - a.total)
      .slice(0, FUNCTIONS)
      .map(line),
    "",
  ].join("\n");
}

function line({ where, self, total }: Spent): string {
  return `${perTask(self).padStart(8)}${perTask(total).padStart(20)}  ${where}`;
}

const perTask = (ms: number): string => (ms / TASKS).toFixed(3);
