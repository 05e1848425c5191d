import { Webhook } from "standardwebhooks";
import { expect, it } from "vitest";
import { startReceiver } from "#test/stand-ins/support/receiver.ts";
import type { PersonsChat, ShownChat } from "#test/support/chat-platform.ts";
import { otherSharedService, sharedService } from "#test/support/shared-service.ts";
import { call, newTaskClient, script } from "#test/support/task-client.ts";
import { newTelegramChannel } from "#test/support/telegram-channel.ts";

const service = sharedService();
const telegram = await newTelegramChannel(service);

const textsOf = ({ messages }: ShownChat) =>
  messages
    .filter(({ message }) => message.from.id === telegram.botId)
    .map(({ message }) => message.text ?? "");

const told = (chat: PersonsChat, part: string) =>
  chat.until((shown) => textsOf(shown).find((text) => text.includes(part)));

/** The results of the messages that an agent sends, in one task of a program. */
async function sent(...messages: readonly Readonly<Record<string, unknown>>[]) {
  const { client } = telegram;
  const tools = messages.map((message) => call("send_message", message));
  const { task_id } = await client.start(script({ tools }, { text: "Done." }));
  const events = await client.end(task_id);
  return events.filter(({ type }) => type === "tool_result").map(({ body }) => body.result ?? {});
}

it("an agent's message on Telegram reaches its person's private chat, and later the chat that is the home", async () => {
  const { id, chat } = await telegram.paired();
  const [first] = await sent({ channel: "telegram", text: "The **beds** are done" });
  expect(first).toMatchObject({
    success: true,
    notification: "sent",
    details: { chat_id: String(id), platform_message_id: expect.stringMatching(/^\d+$/u) },
  });
  await told(chat, "The beds are done");
  const group = await telegram.platform.group("Garden", [id]);
  const groupChat = telegram.platform.chat(telegram.botId, group.id, id);
  await groupChat.say(`/sethome@${telegram.channel.bot_name ?? ""}`);
  await told(groupChat, "your home");
  expect(await sent({ channel: "telegram", text: "Water them" })).toMatchObject([
    { success: true, details: { chat_id: String(group.id) } },
  ]);
  await told(groupChat, "Water them");
});

it("an agent tells the program that started its task while it works, signed as the callback", async () => {
  const receiver = await startReceiver(() => ({ status: 204 }));
  const client = await newTaskClient(await otherSharedService("eager"));
  const tell = call("send_message", { channel: "webhook", text: "Half of it is done" });
  const { task_id } = await client.start(script({ tools: [tell] }, { text: "Done." }), {
    webhook_url: `${receiver.url}/receiver`,
  });
  const events = await client.end(task_id);
  expect(events.find(({ type }) => type === "tool_result")?.body.result).toMatchObject({
    success: true,
    notification: "sent",
    details: { via: "callback" },
  });
  const { body, headers } = receiver.deliveries[0] ?? { body: "", headers: {} };
  const texts = Object.entries(headers).map(([name, value]) => [name, String(value)] as const);
  expect(new Webhook(client.webhookSecret).verify(body, Object.fromEntries(texts))).toEqual({
    type: "agent_notification",
    message: "Half of it is done",
    task_id,
    timestamp: expect.stringMatching(/^\d{4}-.*Z$/u),
  });
  await receiver.close();
});
