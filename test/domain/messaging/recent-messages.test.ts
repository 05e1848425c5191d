import { afterAll, beforeAll, expect, it } from "vitest";
import { recentMessages } from "#src/domain/messaging/conversations/queries/sessions.ts";
import { newId } from "#src/lib/ids.ts";
import { openDatabase } from "#test/support/database.ts";
import { PlatformRows } from "./support/people-of-platforms.ts";

let database: Awaited<ReturnType<typeof openDatabase>>;
let rows: PlatformRows;
beforeAll(async () => {
  database = await openDatabase();
  rows = new PlatformRows(database.db);
});
afterAll(() => database.close());

const ago = (hours: number) => new Date(Date.now() - hours * 3_600_000);

it("reads the last two messages of the three chats that were active last", async () => {
  const person = await rows.person();
  const channels = [await rows.channel(person), await rows.channel(person, { channelType: "slack" })];
  const [telegram, slack] = channels;
  if (!telegram || !slack) throw new Error("The channels were not stored");
  const at = async (hours: number, said: readonly string[], channel = telegram) => {
    const agentChat = await rows.chat(person, said);
    const where = { chatId: newId(), agentChat, lastActiveAt: ago(hours) };
    return rows.session(person, channel, where);
  };
  await at(4, ["The fourth", "Is too many"]);
  await at(3, ["Open question"]);
  await at(2, ["First", "Then", "Last question", "x".repeat(600)]);
  await at(1, ["In Slack", "Answered", "Failed", ""], slack);
  const sessionId = await at(0, ["The session's own", "Is not for itself"]);
  expect(await recentMessages(database.db, { userId: person.id, sessionId })).toEqual([
    { platform: "telegram", role: "user", text: "Open question" },
    { platform: "telegram", role: "user", text: "Last question" },
    { platform: "telegram", role: "assistant", text: "x".repeat(500) },
    { platform: "slack", role: "assistant", text: "Answered" },
    { platform: "slack", role: "user", text: "Failed" },
  ]);
});

it("reads nothing of others, of yesterday, of archived chats and of projects that are out of sight", async () => {
  const [person, other] = [await rows.person(), await rows.person()];
  const channel = await rows.channel(person);
  const said = ["A question", "An answer"];
  const at = async (agentChat: string, lastActiveAt = new Date(), user: { id: string } = person) =>
    rows.session(user, channel, { chatId: newId(), agentChat, lastActiveAt });
  await at(await rows.chat(person, said), ago(25));
  await at(await rows.chat(person, said, "archived"));
  await at(await rows.chat({ ...person, projectId: other.projectId }, said));
  await at(await rows.chat(other, said), new Date(), other);
  expect(await recentMessages(database.db, { userId: person.id, sessionId: newId() })).toEqual([]);
});
