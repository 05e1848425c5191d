import { startSlack } from "#test/support/platforms/slack.ts";
import type { Measurement } from "../measurement.ts";
import { cpuOf, type CpuTime } from "../processes.ts";
import { connectSlack, type SlackPerson } from "../slack-channel.ts";
import { now, p50, p95 } from "../statistics.ts";
import { CALLERS, INSTANT } from "../task-client.ts";

const WARM_UP = 20;
const ROUNDS = 100;
const SECONDS = 6;

export const channels: Measurement = {
  name: "channels",
  title: "Messages of a chat platform",
  how:
    "A Slack on this machine calls the webhook with signed messages of people in private chats; the demo model gives one answer. " +
    "Acknowledgement: the response to the call. Reply: from the call to the reply at the platform, up to 2 ms of waiting for it " +
    `included. ${CALLERS} chats: each writes again when it has its reply. The webhook's trips are measured by \`budgets\`.`,
  async run(bench) {
    const slack = await startSlack();
    const { service } = await bench.use({ SLACK_API_BASE_URL: slack.url });
    const channel = connectSlack(service.url, slack);
    const one = await channel.newPerson();
    const people = [one];
    while (people.length < CALLERS) people.push(await channel.newPerson());
    const acknowledged: number[] = [];
    const replied: number[] = [];
    for (let round = -WARM_UP; round < ROUNDS; round += 1) {
      const sent = now();
      await one.write(INSTANT);
      const seen = now();
      await one.replied();
      if (round < 0) continue;
      acknowledged.push(seen - sent);
      replied.push(now() - sent);
    }
    // The first message of a person makes a project and a chat.
    for (let round = 0; round < 3; round += 1) await Promise.all(people.map((person) => once(person)));
    const together: number[] = [];
    const before = cpuOf(service.pid);
    const start = now();
    const converse = async (person: SlackPerson) => {
      while (now() < start + SECONDS * 1000) {
        const sent = now();
        await once(person);
        together.push(now() - sent);
      }
    };
    await Promise.all(people.map((person) => converse(person)));
    const rate = together.length / ((now() - start) / 1000);
    const after = cpuOf(service.pid);
    const each = (from: CpuTime, to: CpuTime) =>
      (to.user + to.system - from.user - from.system) / together.length;
    channel.close();
    await bench.rest();
    await slack.close();
    return [
      { what: "acknowledgement, p50", value: p50(acknowledged), unit: "ms", goal: { atMost: 15 } },
      { what: "acknowledgement, p95", value: p95(acknowledged), unit: "ms", goal: { atMost: 60 } },
      { what: "1 chat, message to reply, p50", value: p50(replied), unit: "ms", goal: { atMost: 150 } },
      { what: "1 chat, message to reply, p95", value: p95(replied), unit: "ms" },
      { what: `${CALLERS} chats, replies`, value: rate, unit: "per s", goal: { atLeast: 50 } },
      { what: `${CALLERS} chats, message to reply, p50`, value: p50(together), unit: "ms" },
      {
        what: "CPU of a message and its reply, workerd",
        value: each(before.workerd, after.workerd),
        unit: "ms",
      },
      { what: "CPU of a message and its reply, Node", value: each(before.node, after.node), unit: "ms" },
    ];
  },
};

async function once(person: SlackPerson): Promise<void> {
  await person.write(INSTANT);
  await person.replied();
}
