import { setTimeout as pause } from "node:timers/promises";
import { expect, vi } from "vitest";
import { readAddresses } from "#local/addresses.ts";
import type { Platform } from "#src/channels/channel.ts";
import { MARK } from "#src/domain/messaging/deliveries/mark.ts";
import { ChatPlatform } from "#test/support/chat-platform.ts";
import { scheduleClient } from "#test/support/schedules.ts";
import { script } from "#test/support/task-client.ts";
import { PATIENCE } from "../patience.ts";
import { createSoon } from "./create-soon.ts";
import type { Story, World } from "./story.ts";

const REDELIVER_MS = 100;

/** A channel as its owner sees it. */
interface Channel {
  id: string;
  bot_name: string | null;
  webhook_url: string | null;
}

interface StoredMessage {
  direction: "inbound" | "outbound";
  content: string;
  status: string;
  task_id: string | null;
}

/** A person's private chat with the bot. */
interface Chat {
  /** Resolves once the platform delivered the text, or keeps it until the bot asks for it. */
  write(text: string): Promise<void>;
  /** Texts of the bot, in the order of their arrival. */
  read(): Promise<string[]>;
}

/** The service asks this platform for messages. It is a part of the service, and keeps what it has. */
async function telegramChat({ dataDir }: World, { bot_name }: Channel): Promise<Chat> {
  const platform = () => new ChatPlatform(readAddresses(dataDir).chatPlatformUrl ?? "");
  const bots = await platform().ask<{ id: number; username: string }[]>("/bots");
  const botId = bots.find(({ username }) => username === bot_name)?.id ?? 0;
  const { id } = await platform().person("reader");
  const chat = () => platform().chat(botId, id, id);
  return {
    async write(text) {
      await chat().say(text);
    },
    async read() {
      const shown = await chat().read();
      return shown.messages.flatMap(({ message }) => (message.from.is_bot ? [message.text ?? ""] : []));
    },
  };
}

/** This platform calls the service until it acknowledges, and sometimes once more. */
function slackChat({ slack, random }: World, { webhook_url }: Channel): Chat {
  slack.webhookUrl = webhook_url ?? "";
  const { id: user } = slack.person("reader");
  const channel = user.replace(/^U/u, "D");
  slack.addChannel(channel);
  let events = 0;
  return {
    async write(text) {
      events += 1;
      const [eventId, ts] = [`EvCrash${events}`, `${Math.floor(Date.now() / 1000)}.${900_000 + events}`];
      const event = { type: "message", user, text, ts, channel, event_ts: ts, channel_type: "im" };
      let acknowledged = random.chance(0.15) ? -1 : 0;
      for (let number = 1; acknowledged < 1; number += 1) {
        const answer = await slack.event(event, { eventId, number }).catch(() => undefined);
        if (answer?.status === 200) acknowledged += 1;
        else if (answer && answer.status < 500) throw new Error(`The webhook returned ${answer.status}`);
        else await pause(REDELIVER_MS);
      }
    },
    read: async () => slack.sent(channel).map(({ text }) => text),
  };
}

/** Texts of the bot that match, without repetitions, which must be marked. */
function once(texts: readonly string[], pattern: RegExp): string[] {
  const seen = new Set<string>();
  for (const text of texts) {
    const found = pattern.exec(text)?.[0];
    if (found === undefined) continue;
    if (seen.has(found)) expect(text, "a repetition").toContain(MARK);
    seen.add(found);
  }
  return [...seen];
}

const numbersIn = (text: string) => [...text.matchAll(/Message (\d+)\./gu)].map(([, n]) => Number(n));
const ascending = (numbers: readonly number[]) => numbers.toSorted((a, b) => a - b);

/** A person who writes at two platforms, and schedules whose results go to one of them. */
export async function messages(world: World): Promise<Story> {
  const { api, random, slack } = world;
  const { token } = await api.signUp("writer");
  const { id: projectId } = await api.newProject(token);
  const client = scheduleClient(api, { token, projectId });

  async function connect(
    platform: Platform,
    credentials: object,
    chatIn: (channel: Channel) => Promise<Chat> | Chat,
  ) {
    const json = { channel_type: platform, credentials, project_id: projectId };
    const { body: channel } = await api.call<Channel>("POST", "/api/channels", { token, json });
    const chat = await chatIn(channel);
    await chat.write("hello");
    const pairing_code = await vi.waitFor(async () => {
      const [found] = /\b[A-HJ-NP-Z2-9]{8}\b/u.exec((await chat.read()).join("\n")) ?? [];
      if (found === undefined) throw new Error(`${platform} has no pairing code`);
      return found;
    }, PATIENCE);
    const pairing = { token, json: { platform, pairing_code } };
    expect(await api.call("POST", "/api/gateway/pair/verify", pairing)).toMatchObject({ status: 200 });
    return { channelId: channel.id, chat, written: new Array<number>() };
  }
  const { bot_token, signing_secret } = slack.credentials;
  const polled = await connect("telegram", { bot_token: `standin:${crypto.randomUUID()}` }, (channel) =>
    telegramChat(world, channel),
  );
  const called = await connect("slack", { bot_token, signing_secret }, (channel) =>
    slackChat(world, channel),
  );

  let count = 0;
  const write = async ({ chat, written }: typeof polled) => {
    count += 1;
    written.push(count);
    const turn = { text: `reply-${count}`, first_delay_ms: random.whole(0, 500), chunks: 4, delay_ms: 50 };
    await chat.write(`Message ${count}.\n\`\`\`demo\n${JSON.stringify([turn])}\n\`\`\``);
  };
  const schedules: { id: string; name: string }[] = [];
  let writing: Promise<void> = Promise.resolve();
  return {
    async beforeKill({ isSwept }) {
      if (!isSwept) return;
      const name = `once-${schedules.length + 1}`;
      const prompt = script({ text: name, first_delay_ms: random.whole(0, 800) });
      const { id } = await createSoon(random.whole(1_500, 4_000), (schedule) =>
        client.create(prompt, { name, schedule, deliver: "telegram" }),
      );
      schedules.push({ id, name });
      for (let left = random.whole(1, 2); left > 0; left -= 1) await write(polled);
      writing = pause(random.between(0, 1_500)).then(() => write(called));
    },
    back: () => writing,
    async verify() {
      for (const { channelId, chat, written } of [polled, called]) {
        const tasks = await vi.waitFor(async () => {
          const path = `/api/channels/${channelId}/messages?limit=200`;
          const { body: stored } = await api.call<StoredMessage[]>("GET", path, { token });
          const [inbound, outbound] = [
            stored.filter(({ direction }) => direction === "inbound"),
            stored.filter(({ direction }) => direction === "outbound"),
          ];
          const taken = inbound.flatMap(({ content }) => numbersIn(content));
          expect(ascending(taken), "each message is taken once").toEqual(written);
          expect(outbound.filter(({ status }) => status !== "delivered")).toEqual([]);
          const replied = new Set(outbound.map((each) => each.task_id));
          expect(inbound.filter((each) => !replied.has(each.task_id))).toEqual([]);
          return Map.groupBy(inbound, ({ task_id }) => task_id);
        }, PATIENCE);
        const firsts = [...tasks.values()].flatMap(
          (batch) => ascending(batch.flatMap(({ content }) => numbersIn(content)))[0] ?? [],
        );
        const replies = once(await chat.read(), /^reply-\d+$/mu);
        expect(replies).toEqual(ascending(firsts).map((number) => `reply-${number}`));
      }
      await vi.waitFor(async () => {
        for (const { id, name } of schedules) {
          const runs = await client.runs(id);
          expect(runs, `runs of ${name}`).toMatchObject([
            { status: "success", deliveries: [{ status: "delivered" }] },
          ]);
        }
      }, PATIENCE);
      const results = once(await polled.chat.read(), /^once-\d+$/mu);
      expect(results.toSorted()).toEqual(schedules.map(({ name }) => name).toSorted());
    },
  };
}
