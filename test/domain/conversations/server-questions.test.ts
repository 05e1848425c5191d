import { asc, eq, sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { approvals, tasks } from "#src/db/schema/index.ts";
import { requestInput, withdrawInput } from "#src/domain/agent-work/approvals/index.ts";
import { openAnswers } from "#src/domain/agent-work/approvals/sealed-answers.ts";
import { sendApprovalCards } from "#src/domain/messaging/deliveries/index.ts";
import { receiveEvents } from "#src/domain/messaging/inbox/index.ts";
import { newId } from "#src/lib/ids.ts";
import type { AskedInput } from "#src/wire/asked-input.ts";
import { CONVERSATION_PARTS } from "#test/domain/messaging/support/conversation-parts.ts";
import { MediaWorld } from "#test/domain/messaging/support/media-world.ts";
import { fileDatabase } from "#test/support/database.ts";

const database = await fileDatabase();
const { db } = database;
const { secrets } = CONVERSATION_PARTS;

const FORM: AskedInput = {
  mode: "form",
  server: "tracker",
  message: "Where?",
  fields: [
    { name: "region", title: "Region", required: true, type: "string", min: 2 },
    { name: "replicas", title: "Replicas", required: false, type: "integer", default: 2 },
  ],
};
const ONE: AskedInput = { ...FORM, fields: FORM.fields?.slice(0, 1) };
const ADDRESS: AskedInput = {
  mode: "url",
  server: "tracker",
  message: "Sign in",
  url: "https://id.example.com/",
  host: "id.example.com",
};

/** A person in a channel, whose task's server asks this, or whose task asks for an approval. */
async function asked(question: AskedInput | null) {
  const world = await MediaWorld.open(db);
  await world.say("Deploy");
  const [task] = await world.tasks();
  const taskId = task?.id ?? "";
  await db.update(tasks).set({ status: "running" }).where(eq(tasks.id, taskId));
  const call = { taskId, iteration: 1, callId: "c", tool: "mcp__tracker__deploy" };
  if (question) {
    const config = { APPROVAL_EXPIRE_HOURS: 1 };
    await requestInput({ db, config, secrets }, { ...call, question: 1, asked: question });
  } else {
    const expiresAt = sql`now() + interval '1 hour'`;
    await db.insert(approvals).values({ ...call, id: newId(), parameters: {}, expiresAt });
  }
  await sendApprovalCards(world.deps, taskId);
  /** The first that was asked. */
  const row = async () => {
    const ofTask = db.select().from(approvals).where(eq(approvals.taskId, taskId));
    const [found] = await ofTask.orderBy(asc(approvals.id));
    if (!found) throw new Error("Nothing was asked");
    return found;
  };
  return {
    world,
    taskId,
    row,
    answers: async () => openAnswers({ secrets }, (await row()).encryptedAnswers),
    card: world.shown.at(-1),
    /** What the person is told of a message. */
    told: async (text: string) => {
      await world.say(text);
      return world.shown.at(-1);
    },
    /** What takes the place of the question, once a button of it was pressed. */
    press: async (response: string) => {
      const { channel, senderId } = world.at;
      const { id } = await row();
      const place = { chatId: senderId, chatType: "dm", threadId: undefined } as const;
      const sender = { id: senderId, alternateId: undefined, name: "Ada" };
      const data = `approve:${id}:${response}`;
      const click = { id: newId(), kind: "click", place, sender, data, messageId: "1" } as const;
      await receiveEvents(world.deps, channel, [{ ...click, confirmation: undefined }]);
      const { deps } = world;
      const edited: string[] = [];
      const edit = async ({ text }: { text: { plain: string } }) => void edited.push(text.plain);
      const api = () => ({ ...deps.channels.telegram.api({}, deps.apiEnvironment), edit });
      const telegram = { ...deps.channels.telegram, api };
      await world.advance({ ...deps, channels: { ...deps.channels, telegram } });
      return edited;
    },
  };
}

const expired = (taskId: string) =>
  db
    .update(approvals)
    .set({ expiresAt: sql`now() - interval '1 second'` })
    .where(eq(approvals.taskId, taskId));

describe("a form in a channel", () => {
  it("shows its fields, refuses an answer that does not fit in a sentence, and takes one that does", async () => {
    const { card, told, row, answers } = await asked(FORM);
    expect(card).toContain("The MCP server tracker asks:");
    expect(card).toContain("Region: a text, at least 2 characters\nReplicas (optional): a whole number");
    expect(card).toContain("name: value");
    expect(await told("/answer eu")).toContain("a line name: value for each field. Nothing was sent");
    expect(await told("/answer\nRegion: x")).toContain('"Region" must be 2 to');
    expect(await told("/approve")).toContain("a line name: value for each field. Or write Decline");
    expect(await told("/status")).toContain("Needs your input for the MCP server tracker");
    expect(await row()).toMatchObject({ response: null });
    expect(await told("/answer\nregion: eu-1")).toBe("Answered: tracker.");
    expect(await row()).toMatchObject({ response: "accept" });
    expect(await answers()).toEqual({ region: "eu-1", replicas: 2 });
    expect(await told("/answer\nregion: us")).toBe("No form waits for your answer.");
  });

  it("is not answered while another one is open: both are in the browser", async () => {
    const { told, answers, world, taskId } = await asked(ONE);
    const call = { taskId, iteration: 1, callId: "d", tool: "mcp__wiki__look", question: 1 };
    const config = { APPROVAL_EXPIRE_HOURS: 1 };
    const { approval } = await requestInput(
      { db, config, secrets },
      { ...call, asked: { ...ONE, server: "wiki" } },
    );
    await sendApprovalCards(world.deps, taskId);
    const answer = await told("/answer eu-1");
    expect(answer).toContain("2 forms wait for an answer (tracker, wiki). Nothing was sent");
    const [task] = await world.tasks();
    expect(answer).toContain(`https://service.test/app/projects/${task?.projectId}/chats/${task?.chatId}`);
    await withdrawInput({ db }, approval);
    expect(await told("/answer eu-1")).toBe("Answered: tracker.");
    expect(await answers()).toEqual({ region: "eu-1" });
  });

  it("names a field as code, so that its title is no link", async () => {
    const title = "[Verify](https://evil.example) `now`";
    const { told } = await asked({ ...ONE, fields: ONE.fields?.map((field) => ({ ...field, title })) });
    const shown = '"[Verify](https://evil.example) now"';
    expect(await told("/answer x")).toContain(`${shown} must be 2 to`);
  });

  it("of one field takes the text behind the command", async () => {
    const { card, told, answers } = await asked(ONE);
    expect(card).toContain("Write /answer and your answer.");
    expect(await told("!answer eu-1, near Frankfurt")).toBe("Answered: tracker.");
    expect(await answers()).toEqual({ region: "eu-1, near Frankfurt" });
  });

  it("that is too long for a message is filled in in the browser", async () => {
    const options = Array.from({ length: 300 }, (_, at) => ({ value: `${at}`, title: `Option ${at}` }));
    const { card, told, row, world } = await asked({
      ...ONE,
      fields: [{ name: "a", title: "A", required: true, type: "choice", options }],
    });
    const [task] = await world.tasks();
    expect(card).toContain(`https://service.test/app/projects/${task?.projectId}/chats/${task?.chatId}`);
    expect(await told("/deny")).toBe("Declined: tracker.");
    expect(await row()).toMatchObject({ response: "decline" });
  });

  it("without fields is agreed to", async () => {
    const { card, told, row, answers } = await asked({ ...FORM, fields: [] });
    expect(card).toContain("Press Done to agree");
    expect(await told("Done")).toBe("Answered: tracker.");
    expect(await row()).toMatchObject({ response: "accept" });
    expect(await answers()).toEqual({});
  });

  it("takes no answer for a call that waits for an approval, and a call none of a form", async () => {
    const { told, row } = await asked(null);
    expect(await told("/answer yes")).toBe("No form waits for your answer.");
    expect(await told("Done")).toBe("Answer with Allow once, Allow tool in chat or Deny.");
    expect(await row()).toMatchObject({ response: null });
    expect(await told("/approve")).toBe("Allowed once: mcp__tracker__deploy.");
  });
});

it.each([
  ["/approve", "Answered: tracker.", "accept"],
  ["Done", "Answered: tracker.", "accept"],
  ["decline", "Declined: tracker.", "decline"],
  ["Allow tool in chat", "Answer with Done or Decline.", null],
])("an address in a channel: %s", async (text, told, response) => {
  const question = await asked(ADDRESS);
  expect(question.card).toContain("Press Done once you have done it there, or Decline.");
  expect(await question.told(text)).toBe(told);
  expect(await question.row()).toMatchObject({ response });
});

describe("an answer that comes too late", () => {
  const LATE = "The server no longer waits for an answer to this question";
  const ends: [string, (question: Awaited<ReturnType<typeof asked>>) => Promise<unknown>][] = [
    ["expired", ({ taskId }) => expired(taskId)],
    ["was withdrawn", async ({ row }) => withdrawInput({ db }, await row())],
    [
      "is of a task that was stopped",
      ({ taskId }) => db.update(tasks).set({ status: "cancelled" }).where(eq(tasks.id, taskId)),
    ],
  ];
  it.each(ends)("to a question that %s changes nothing", async (_, end) => {
    const question = await asked(ADDRESS);
    await end(question);
    const before = await question.row();
    expect(before.answeredBy).toBeNull();
    expect(await question.press("accept")).toEqual([LATE]);
    expect(await question.row()).toEqual(before);
  });
});
