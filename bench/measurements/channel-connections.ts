import { setTimeout as pause } from "node:timers/promises";
import { apiClient } from "#test/support/api-client.ts";
import type { Measurement } from "../measurement.ts";
import { cpuOf, memoryOf, type CpuTime } from "../processes.ts";
import { startIdleTelegram, type IdleTelegram } from "../idle-telegram.ts";

const CONNECTIONS = 1_000;
/** Channels that are made at the same time. */
const AT_ONCE = 8;
/** Two long polls of every connection. */
const IDLE_SECONDS = 60;
/** Ends a wait for connections that never come. */
const NEVER_MS = 300_000;

export const channelConnections: Measurement = {
  name: "connections",
  title: `${CONNECTIONS.toLocaleString("en")} idle connections to a chat platform`,
  how:
    "Telegram channels of one account, whose long polls a server on this machine holds open for as long as they ask for. Memory: " +
    "what the service has more than before the channels were made. CPU: of all threads while nothing is written. Takes minutes.",
  async run(bench) {
    const telegram = await startIdleTelegram();
    await bench.rest();
    const { service } = await bench.use({ TELEGRAM_API_BASE_URL: telegram.url });
    const empty = memoryOf(service.pid);
    const started = performance.now();
    await connect(service.url, telegram);
    const seconds = (performance.now() - started) / 1000;
    const before = cpuOf(service.pid);
    await pause(IDLE_SECONDS * 1000);
    const after = cpuOf(service.pid);
    const full = memoryOf(service.pid);
    const open = telegram.openPolls;
    await bench.rest();
    await telegram.close();
    const each = (mebibytes: number) => (mebibytes * 1024) / CONNECTIONS;
    const perMinute = (from: CpuTime, to: CpuTime) =>
      ((to.user + to.system - from.user - from.system) / CONNECTIONS) * (60 / IDLE_SECONDS);
    return [
      { what: "until all are connected", value: seconds, unit: "s" },
      { what: "connections at the end", value: open, unit: "", goal: { atLeast: CONNECTIONS } },
      { what: "workerd, for each", value: each(full.workerd - empty.workerd), unit: "KiB" },
      { what: "Node, for each", value: each(full.node - empty.node), unit: "KiB" },
      {
        what: "workerd, for each in a minute",
        value: perMinute(before.workerd, after.workerd),
        unit: "ms of CPU",
      },
      { what: "Node, for each in a minute", value: perMinute(before.node, after.node), unit: "ms of CPU" },
    ];
  },
};

/** Makes the channels of a new account, and waits until each has its long poll. */
async function connect(url: string, telegram: IdleTelegram): Promise<void> {
  const api = apiClient(url);
  const { token } = await api.signUp("bench");
  let made = 0;
  const maker = async () => {
    while (made < CONNECTIONS) {
      made += 1;
      const json = { channel_type: "telegram", credentials: { bot_token: telegram.newToken() } };
      const { status, text } = await api.call("POST", "/api/channels", { token, json });
      if (status !== 200) throw new Error(`The channel was not made: ${text}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, maker));
  const deadline = performance.now() + NEVER_MS;
  while (telegram.openPolls < CONNECTIONS) {
    if (performance.now() > deadline) {
      throw new Error(`Only ${telegram.openPolls} of ${CONNECTIONS} channels are connected`);
    }
    await pause(100);
  }
}
