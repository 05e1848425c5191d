import { describe, expect, it, vi } from "vitest";
import { openStream } from "#test/support/chat-client.ts";
import type { PersonsChat, ShownChat } from "#test/support/chat-platform.ts";
import { PATIENCE } from "#test/support/connected-channels.ts";
import {
  deliveryEntries,
  fire,
  scheduleClient,
  YEARLY,
  type RunView,
  type ScheduleClient,
  type ScheduleView,
} from "#test/support/schedules.ts";
import { sharedService } from "#test/support/shared-service.ts";
import { call, script } from "#test/support/task-client.ts";
import { newTelegramChannel, type TelegramChannel } from "#test/support/telegram-channel.ts";

const service = sharedService();

const says = (text: string) => script({ text });
const manages = (fields: object, text: string) =>
  script({ tools: [call("manage_schedule", { ...fields })] }, { text });

/** A person in private with a bot at Telegram, whose schedules are those of the channel's owner. */
interface Scene extends ScheduleClient {
  telegram: TelegramChannel;
  token: string;
  person: { id: number; chat: PersonsChat };
}

async function newScene(): Promise<Scene> {
  const telegram = await newTelegramChannel(service);
  const { projectId, account } = telegram.client;
  const person = await telegram.paired();
  // The confirmation comes by itself, and would meet the faults of a test.
  await told(person.chat, "Your account is linked");
  const { token } = account;
  return { telegram, token, person, ...scheduleClient(service, { token, projectId }) };
}

/** Texts of the bot, with the ids of their messages. */
const textsIn = ({ messages }: ShownChat) =>
  messages.flatMap(({ message }) =>
    message.from.is_bot ? [{ id: message.message_id, text: message.text ?? "" }] : [],
  );

/** What the bot writes, once one of its texts has this in it. */
const told = (chat: PersonsChat, part: string) =>
  chat.until((shown) => textsIn(shown).find(({ text }) => text.includes(part)));

/** Presses the first button of the newest question. */
async function allow(chat: PersonsChat): Promise<void> {
  const { id, data } = await chat.until(({ messages }) => {
    const card = messages.findLast(({ message }) => message.reply_markup);
    const button = card?.message.reply_markup?.inline_keyboard.flat()[0];
    return card && button?.callback_data
      ? { id: card.message.message_id, data: button.callback_data }
      : undefined;
  });
  await chat.press(id, data);
}

/** Texts of a chat of the owner's, oldest first. */
async function chatTexts({ token }: Scene, { chat_id }: RunView): Promise<string[]> {
  const path = `/api/chat/session/${chat_id}/messages`;
  const { body } = await service.call<{ content: string }[]>("GET", path, { token });
  return body.map(({ content }) => content);
}

const only = async ({ call: ask }: Scene): Promise<ScheduleView> => {
  const { body } = await ask<ScheduleView[]>("GET", "");
  const [found, ...others] = body;
  if (!found || others.length > 0) throw new Error(`${body.length} schedules`);
  return found;
};

describe("a schedule that was made by words in a chat", () => {
  it("is allowed by its button, and delivered there and to a group, where people go on with its run, also after a later one", async () => {
    const scene = await newScene();
    const { chat, id: personId } = scene.person;
    const { platform, botId, channel, client } = scene.telegram;
    const group = await platform.group("Garden", [personId]);
    const inGroup = platform.chat(botId, group.id, personId);
    const mention = `@${channel.bot_name ?? ""}`;
    await inGroup.say(`${mention} ${says("Here.")}`);
    await told(inGroup, "Here.");
    const deliver = `origin, telegram:${group.id}`;
    const create = {
      action: "create",
      name: "Beds",
      schedule: YEARLY,
      timezone: "Europe/London",
      prompt: says("The beds are dry."),
      deliver,
    };
    await chat.say(manages(create, "It is set."));
    await told(chat, "May the agent use");
    expect((await scene.call<unknown[]>("GET", "")).body).toEqual([]);
    await allow(chat);
    await told(chat, "It is set.");
    const made = await only(scene);
    expect(made).toMatchObject({
      name: "Beds",
      timezone: "Europe/London",
      deliver,
      edit_mode: "ask",
      project_id: client.projectId,
      origin_platform: "telegram",
      origin_chat_id: String(personId),
      origin_config_id: channel.id,
    });
    await chat.say("/schedules");
    await told(chat, "Beds: at 00:00 on day 1 of the month, in January, Europe/London; next");

    await fire(service, made.id);
    const run = await scene.ran(made.id, "success");
    expect(run.deliveries).toMatchObject([
      { target: "origin", status: "delivered", error: null, jid: `telegram:${personId}` },
      { target: `telegram:${group.id}`, status: "delivered", error: null, jid: `telegram:${group.id}` },
    ]);
    await told(chat, "The beds are dry.");
    const { id: messageId } = await told(inGroup, "The beds are dry.");
    const entries = await deliveryEntries(service, made.id);
    expect(entries).toMatchObject([
      { deliver: "origin", task_id: run.task_id, body: "The beds are dry.", chat_id: personId },
      { deliver: `telegram:${group.id}`, task_id: run.task_id, response: "The beds are dry." },
    ]);

    await chat.say(says("I water them."));
    await told(chat, "I water them.");
    await fire(service, made.id);
    await vi.waitUntil(async () => (await scene.runs(made.id)).length === 2, PATIENCE);
    const second = await scene.ran(made.id, "success");
    await inGroup.say(`${mention} ${says("I weed.")}`, { replyTo: messageId });
    await told(inGroup, "I weed.");
    expect((await chatTexts(scene, run)).filter((text) => !text.includes("demo"))).toEqual([
      "The beds are dry.",
      "I water them.",
      "I weed.",
    ]);
    expect(second.chat_id).not.toBe(run.chat_id);
    expect(await chatTexts(scene, second)).toHaveLength(2);
  });

  it("is paused, resumed, changed, run and deleted by words as well", async () => {
    const scene = await newScene();
    const { chat } = scene.person;
    const done = async (fields: object, text: string) => {
      await chat.say(manages(fields, text));
      await told(chat, text);
    };
    await chat.say(
      manages({ action: "create", name: "Beds", schedule: YEARLY, prompt: says("Wet.") }, "Set."),
    );
    await told(chat, "May the agent use");
    await chat.say("/approve");
    await told(chat, "Set.");
    const { id } = await only(scene);
    // What the person has not been asked about yet is asked about each time; here it is allowed for the whole conversation.
    await chat.say(manages({ action: "pause", job_id: id }, "Paused now."));
    await vi.waitUntil(
      async () =>
        textsIn(await chat.read()).filter(({ text }) => text.includes("May the agent use")).length > 1,
      PATIENCE,
    );
    await chat.say("allow tool in chat");
    await told(chat, "Paused now.");
    expect(await scene.get(id)).toMatchObject({ is_active: false });
    await chat.say("/schedules");
    await told(chat, "You have no active schedules.");
    await done({ action: "resume", job_id: id }, "Resumed now.");
    expect(await scene.get(id)).toMatchObject({ is_active: true });
    await done({ action: "update", job_id: id, name: "All beds", deliver: "none" }, "Changed now.");
    expect(await scene.get(id)).toMatchObject({ name: "All beds", deliver: "none" });
    await done({ action: "trigger", job_id: id }, "Begun now.");
    expect(await scene.ran(id, "success")).toMatchObject({ trigger: "manual", deliveries: [] });
    await done({ action: "delete", job_id: id }, "Deleted now.");
    expect((await scene.call<unknown[]>("GET", "")).body).toEqual([]);
  });
});

describe("an agent", () => {
  it("manages no schedules in a run of one", async () => {
    const scene = await newScene();
    const calls = [call("manage_schedule", { action: "list" })];
    const { id } = await scene.create(script({ tools: calls }, { text: "Tried." }));
    await fire(service, id);
    const run = await scene.ran(id, "success");
    const events = await scene.telegram.client.end(run.task_id ?? "");
    const results = events.filter(({ type }) => type === "tool_result").map(({ body }) => body.result);
    expect(results).toMatchObject([{ success: false }]);
  });

  it("manages them where a person goes on with a run, and writes nothing into one that may do more than its task", async () => {
    const scene = await newScene();
    const { chat } = scene.person;
    const { id } = await scene.create(says("Mine."), {
      edit_mode: "allow",
      deliver: `telegram:${scene.person.id}`,
    });
    await fire(service, id);
    await told(chat, "Mine.");
    await chat.say(manages({ action: "update", job_id: id, prompt: says("Another.") }, "Changed."));
    await told(chat, "May the agent use");
    await allow(chat);
    await told(chat, "Changed.");
    expect(await scene.get(id)).toMatchObject({ edit_mode: "ask", prompt: says("Another.") });
  });

  it("makes no schedule in plan mode, for a chat that its person's channels do not know, or of another project", async () => {
    const scene = await newScene();
    const { client } = scene.telegram;
    const stranger = await scene.telegram.stranger();
    const wish = { action: "create", name: "No", schedule: YEARLY, prompt: says("No.") };
    const resultOf = async (fields: object, edit_mode: string) => {
      const json = { project_id: client.projectId, message: manages(fields, "Done."), edit_mode };
      const stream = await openStream(service, "POST", "/api/chat/agent/stream", {
        token: scene.token,
        json,
      });
      await stream.text();
      const events = await client.end(stream.taskId);
      return events.find(({ type }) => type === "tool_result")?.body.result;
    };
    expect(await resultOf(wish, "plan")).toMatchObject({
      success: false,
      error: expect.stringMatching(/plan mode/u),
    });
    expect(await resultOf({ ...wish, deliver: `origin, telegram:${stranger.id}` }, "allow")).toMatchObject({
      success: false,
      error: expect.stringMatching(/may not write to/u),
    });
    const { id: elsewhere } = await service.newProject(scene.token);
    const other = await scene.create(says("Elsewhere."), { project_id: elsewhere });
    for (const action of ["trigger", "update"]) {
      expect(await resultOf({ action, job_id: other.id, name: "Mine" }, "allow")).toMatchObject({
        success: false,
        error: "Schedule not found",
      });
    }
    expect(await only(scene)).toEqual(other);
  });
});
