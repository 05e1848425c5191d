import { expect, it } from "vitest";
import { openConversation } from "#src/domain/conversations/sessions/queries/events.ts";
import { fileDatabase } from "#test/support/database.ts";
import { MediaWorld } from "#test/domain/messaging/support/media-world.ts";

const { db } = await fileDatabase();

const SETTINGS = { idleMinutes: 60, wholeChars: 100 };

function open({ at: { channel, senderId } }: MediaWorld) {
  const key = { channelId: channel.id, sessionKey: `telegram:dm:${senderId}`, senderId };
  return openConversation(db, key, SETTINGS);
}

it("a single message is the batch of a task in the round trip that reads its session, for one reader alone", async () => {
  const world = await MediaWorld.open(db);
  await world.receive("Hello");
  const both = await Promise.all([open(world), open(world)]);
  expect(both.filter(({ isClaimed }) => isClaimed)).toHaveLength(1);
  const { events } = await open(world);
  expect(events.map(({ id, taskId }) => taskId === id)).toEqual([true]);
});

it.each([
  ["may be a command", ["/status"]],
  ["may be a command in a thread", ["!status"]],
  ["may be a part of a long text", ["x".repeat(SETTINGS.wholeChars)]],
  ["has others beside it", ["One", "Two"]],
])("a message that %s is not claimed before it is looked at", async (_, texts) => {
  const world = await MediaWorld.open(db);
  for (const text of texts) await world.receive(text);
  const { isClaimed, events } = await open(world);
  expect(isClaimed).toBe(false);
  expect(events.map(({ taskId }) => taskId)).toEqual(texts.map(() => null));
});

it("a message with a file, and one to a session that is at work, are not claimed before they are looked at", async () => {
  const world = await MediaWorld.open(db);
  await world.receive("Look", [world.has("A picture")]);
  expect(await open(world)).toMatchObject({ isClaimed: false, events: [{ taskId: null }] });
  await world.advance();
  await world.receive("And?");
  expect(await open(world)).toMatchObject({ isClaimed: false, events: [{ taskId: null }] });
});
