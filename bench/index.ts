import { parseArgs } from "node:util";
import { attempt } from "./attempt.ts";
import { Bench } from "./bench.ts";
import type { Measurement } from "./measurement.ts";
import { deployments } from "./measurements/deployments.ts";
import { asDeployed } from "./measurements/as-deployed.ts";
import { acknowledgement } from "./measurements/acknowledgement.ts";
import { budgets } from "./measurements/budgets.ts";
import { bundle } from "./measurements/bundle.ts";
import { channelConnections } from "./measurements/channel-connections.ts";
import { clients } from "./measurements/clients.ts";
import { channels } from "./measurements/channels.ts";
import { chat } from "./measurements/chat.ts";
import { consoleChat } from "./measurements/console-chat.ts";
import { consoleFiles } from "./measurements/console-files.ts";
import { consoleLoad } from "./measurements/console-load.ts";
import { cpu } from "./measurements/cpu.ts";
import { growth } from "./measurements/growth.ts";
import { live } from "./measurements/live.ts";
import { memory } from "./measurements/memory.ts";
import { payments } from "./measurements/payments.ts";
import { projects } from "./measurements/projects.ts";
import { proxy } from "./measurements/proxy.ts";
import { readers } from "./measurements/readers.ts";
import { recovery } from "./measurements/recovery.ts";
import { replayLive } from "./measurements/replay-live.ts";
import { replay } from "./measurements/replay.ts";
import { schedules } from "./measurements/schedules.ts";
import { sockets } from "./measurements/sockets.ts";
import { start } from "./measurements/start.ts";
import { throughput } from "./measurements/throughput.ts";
import { profile } from "./profile/index.ts";
import { formatMachine, formatResult, formatSummary, toJson, type Result } from "./report.ts";

/** The first measurement creates the data folder and its build, which the others use. */
const ALL: readonly Measurement[] = [
  start,
  bundle,
  budgets,
  acknowledgement,
  throughput,
  cpu,
  live,
  chat,
  sockets,
  channels,
  proxy,
  readers,
  replay,
  replayLive,
  recovery,
  payments,
  projects,
  schedules,
  deployments,
  growth,
  channelConnections,
  memory,
  clients,
  consoleLoad,
  consoleChat,
  consoleFiles,
];

/**
 * `npm run bench [-- --only ack,live] [-- --json] [-- --as-deployed]`: measures the service on this machine and compares the figures with
 * their goals. A missed goal is reported and does not fail, because timings depend on the machine. A measurement that this
 * machine cannot make, or that fails, is reported in a line, and the rest goes on. With `--as-deployed` instead
 * measures beside the distances of a deployment; with `--profile` shows where the CPU time of a task goes.
 */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      only: { type: "string" },
      json: { type: "boolean" },
      profile: { type: "boolean" },
      "as-deployed": { type: "boolean" },
    },
  });
  const chosen = values["as-deployed"] === true ? [asDeployed] : choose(values.only);
  const say = (text: string) => void (values.json ? process.stderr : process.stdout).write(`${text}\n`);
  say(`${formatMachine()}\n`);
  if (values.profile) return profile(say);
  const results: Result[] = [];
  const bench = new Bench();
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => void bench.close().finally(() => process.exit(1)));
  }
  try {
    for (const measurement of chosen) {
      const result = await attempt(measurement, bench);
      results.push(result);
      say(formatResult(result));
    }
  } finally {
    await bench.close();
  }
  say(`${formatSummary(results)}\n${formatMachine()}`);
  if (values.json) process.stdout.write(`${toJson(results)}\n`);
  // The browser, and what a failed measurement has left, such as a server of this process, would keep it from ending.
  process.exit(results.some(({ hasFailed }) => hasFailed) ? 1 : 0);
}

function choose(only: string | undefined): readonly Measurement[] {
  if (only === undefined) return ALL;
  const names = only.split(",");
  const unknown = names.filter((name) => ALL.every((each) => each.name !== name));
  if (unknown.length > 0) {
    throw new Error(`--only knows ${ALL.map(({ name }) => name).join(", ")}, not ${unknown.join(", ")}`);
  }
  return ALL.filter(({ name }) => names.includes(name));
}

await main();
