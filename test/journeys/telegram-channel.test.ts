import { eq } from "drizzle-orm";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { channelEvents } from "#src/db/schema/index.ts";
import type { PersonsChat, ShownChat } from "#test/support/chat-platform.ts";
import { databaseOf } from "#test/support/database.ts";
import { sharedService } from "#test/support/shared-service.ts";
import { call, script, UNTIL_GO } from "#test/support/task-client.ts";
import { codeIn, newTelegramChannel, type TelegramChannel } from "#test/support/telegram-channel.ts";

const service = sharedService();
let telegram: TelegramChannel;
beforeAll(async () => {
  telegram = await newTelegramChannel(service);
});

const textsOf = ({ messages }: ShownChat, botId = telegram.botId) =>
  messages.filter(({ message }) => message.from.id === botId).map(({ message }) => message.text ?? "");

/** What the bot writes, once one of its texts has this in it. */
const told = (chat: PersonsChat, part: string) =>
  chat.until((shown) => textsOf(shown).find((text) => text.includes(part)));

const says = (text: string) => script({ text });

describe("a person who is not linked to an account", () => {
  it("gets a code in private, and then answers of the agent", async () => {
    const { chat } = await telegram.stranger();
    await chat.say(says("Never run."));
    const code = await codeIn(chat);
    expect(await telegram.verify(code)).toMatchObject({
      status: 200,
      body: { status: "paired", platform: "telegram" },
    });
    expect(await telegram.verify(code)).toMatchObject({ status: 404 });
    await told(chat, "Your account is linked.");
    await chat.say(says("You are known now."));
    await told(chat, "You are known now.");
    expect(textsOf(await chat.read()).join()).not.toContain("Never run.");
    const messages = await vi.waitFor(async () => {
      const stored = await telegram.messages();
      expect(stored.map(({ direction, status }) => `${direction} ${status}`)).toEqual([
        "outbound delivered",
        "inbound delivered",
        "outbound delivered",
      ]);
      return stored;
    });
    expect(JSON.stringify(messages)).not.toContain(code);
    expect(messages.slice(1).every(({ task_id }) => task_id !== null)).toBe(true);
  });

  it("gets no code in a group, where others would read it", async () => {
    const { id } = await telegram.stranger();
    const group = await telegram.platform.group("Friends", [id]);
    const chat = telegram.platform.chat(telegram.botId, group.id, id);
    const name = telegram.channel.bot_name ?? "";
    await chat.say("no word to the bot");
    await chat.say(`@${name} hello`);
    await told(chat, "in private");
    await chat.say(`@${name} hello again`);
    const texts = textsOf(await chat.read());
    expect(texts).toHaveLength(1);
    expect(texts.join()).not.toMatch(/\b[A-HJ-NP-Z2-9]{8}\b/u);
  });

  it("of another tenant is refused the channel's project after linking", async () => {
    const { token } = await service.signUp();
    const { chat } = await telegram.paired(token);
    await chat.say(says("Never run."));
    await told(chat, "no access");
    expect(textsOf(await chat.read()).join()).not.toContain("Never run.");
  });
});

describe("a linked person", () => {
  it("is answered in one conversation; what is written while the agent works is the next message", async () => {
    const { chat } = await telegram.paired();
    await chat.say(script({ tools: [call("bash_exec", { command: UNTIL_GO })] }, { text: "Slept." }));
    await told(chat, "May the agent use");
    await chat.say("allow once");
    await chat.say(says("Second."));
    await chat.say("third");
    const ofChannel = eq(channelEvents.channelConfigId, telegram.channel.id);
    await vi.waitFor(async () => {
      const stored = await databaseOf(service)
        .select()
        .from(channelEvents)
        .where(ofChannel)
        .orderBy(channelEvents.id);
      expect(JSON.stringify(stored)).toMatch(/Second\..*third/u);
    });
    const { projectId, account } = telegram.client;
    const go = `/api/projects/${projectId}/files/go.txt`;
    await service.call("PUT", go, { token: account.token, json: { content: "" } });
    await told(chat, "Second.");
    const texts = textsOf(await chat.read()).join("\n");
    expect(texts.indexOf("Slept.")).toBeLessThan(texts.indexOf("Second."));
    const inbound = (await telegram.messages()).filter(({ direction }) => direction === "inbound");
    const [slept, second, third] = inbound.slice(-3);
    expect([second?.content, third?.content]).toEqual([says("Second."), "third"]);
    expect(third?.task_id).toBe(second?.task_id);
    expect(second?.task_id).not.toBe(slept?.task_id);
  });

  it("allows a dangerous call by its button", async () => {
    const { chat } = await telegram.paired();
    await chat.say(
      script(
        { tools: [call("write_file", { path: "by-button.txt", content: "yes" })] },
        { text: "Written." },
      ),
    );
    const { id, data } = await chat.until(({ messages }) => {
      const card = messages.find(({ message }) => message.reply_markup);
      const button = card?.message.reply_markup?.inline_keyboard.flat()[0];
      return card && button?.callback_data
        ? { id: card.message.message_id, data: button.callback_data }
        : undefined;
    });
    await chat.press(id, data);
    await told(chat, "Written.");
    expect(
      await service.call("GET", `/api/projects/${telegram.client.projectId}/files/by-button.txt`, {
        token: telegram.client.account.token,
      }),
    ).toMatchObject({ status: 200 });
  });

  it("denies a call by a command, and asks the service what it knows", async () => {
    const { chat } = await telegram.paired();
    await chat.say(
      script(
        { tools: [call("write_file", { path: "denied.txt", content: "no" })] },
        { text: "Not written." },
      ),
    );
    await told(chat, "May the agent use");
    await chat.say("/status");
    await told(chat, "Waiting for your approval of write_file");
    await chat.say("/deny");
    await told(chat, "Denied: write_file");
    await told(chat, "Not written.");
    await chat.say("/whoami");
    await told(chat, telegram.client.account.email);
    await chat.say("/help");
    await told(chat, "/sethome");
    await chat.say("/new");
    await told(chat, "A new conversation");
    const path = `/api/projects/${telegram.client.projectId}/files/denied.txt`;
    expect(await service.call("GET", path, { token: telegram.client.account.token })).toMatchObject({
      status: 404,
    });
  });

  it("reads a long answer with code in pieces, whole and in order", async () => {
    const { chat } = await telegram.paired();
    const lines = Array.from({ length: 120 }, (_, index) => `const value${index} = ${index};`);
    await chat.say(says(`Here:\n\n~~~js\n${lines.join("\n")}\n~~~\n\nThe end.`));
    await told(chat, "The end.");
    const texts = textsOf(await chat.read())
      .slice(1)
      .join("\n");
    for (const line of lines) expect(texts).toContain(line);
  });
});

describe("a platform that fails", () => {
  it("is sent the reply again, once", async () => {
    const { chat } = await telegram.paired();
    await chat.say(says("Before."));
    await told(chat, "Before.");
    await telegram.platform.setFaults(telegram.botId, [
      { method: "sendMessage", status: 429, retryAfter: 1 },
      { method: "sendMessage", status: 500 },
    ]);
    await chat.say(says("After."));
    await told(chat, "After.");
    expect(textsOf(await chat.read()).filter((text) => text.includes("After."))).toHaveLength(1);
  });
});
