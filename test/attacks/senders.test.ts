import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { PLATFORMS, type Platform } from "#src/channels/channel.ts";
import { channelConfigs, channelMessages, messages, tasks } from "#src/db/schema/index.ts";
import { chooseOwn } from "#src/domain/messaging/agent-messages/choose-place.ts";
import { readReach } from "#src/domain/messaging/agent-messages/queries.ts";
import { replyToTask, sendApprovalCards } from "#src/domain/messaging/deliveries/index.ts";
import { scopesOfRole } from "#src/domain/access/permissions/index.ts";
import { fileDatabase } from "#test/support/database.ts";
import { drawn, some } from "#test/support/draw.ts";
import { type Claim, CLAIMS, Forger } from "./support/forger.ts";

/** Whose a channel is for the person who is claimed to write in it. */
const CHANNELS = ["a stranger's", "the team's"] as const;
type Owner = (typeof CHANNELS)[number];

const CODE = /\b[A-HJ-NP-Z2-9]{8}\b/u;

const database = await fileDatabase();
const forger = new Forger(database.db);

type Victim = Awaited<ReturnType<Forger["victim"]>>;

/** A channel of somebody who owns no more than that: a stranger, or an editor of the victim's project. */
async function channelOf(owner: Owner, victim: Victim, values: { projectId?: string | null } = {}) {
  const attacker = await forger.rows.person();
  const inside = owner === "the team's" ? await forger.rows.join(attacker, victim.projectId) : attacker;
  return forger.rows.channel(attacker, {
    channelType: victim.platform,
    projectId: inside.projectId,
    provedAt: new Date(),
    ...values,
  });
}

/** The same, after the victim has entered a code that this very channel sent. */
async function linkedChannelOf(owner: Owner, victim: Victim, values: { projectId?: string | null } = {}) {
  const channel = await channelOf(owner, victim, values);
  const { platform, senderId: platformUserId } = victim;
  await forger.rows.identity(victim, { platform, platformUserId, channelConfigId: channel.id });
  return channel;
}

const ownOf = ({ senderId }: Victim) => CLAIMS["the sender's id"](senderId);
const whoami = async (victim: Victim, channel: Victim["channel"]) =>
  (await forger.receive(channel, ownOf(victim), { text: "/whoami" })).join();

const REAL = PLATFORMS.filter((platform) => platform !== "cli");
const claims = Object.keys(CLAIMS).filter((name): name is Claim => name in CLAIMS);
const table = drawn(
  PLATFORMS.flatMap((platform) =>
    CHANNELS.flatMap((owner) => claims.map((claim) => [platform, owner, claim] as const)),
  ),
  { of: ([platform]) => platform, kind: ([, owner, claim]) => `${owner}: ${claim}` },
);

describe("whoever owns a channel says who writes there, and a person who is not linked in it is a stranger", () => {
  it.each(table)("%s, %s channel: %s", async (platform: Platform, owner, claim) => {
    const victim = await forger.victim(platform);
    const channel = await channelOf(owner, victim);
    const sender = CLAIMS[claim](victim.senderId);
    const approval = await forger.question(victim);
    const before = await forger.tasksOf(victim);
    const texts: string[] = [];
    for (const text of ["Write a file", "/whoami", "/sethome", "/schedules", "/approve", "/status"]) {
      texts.push(...(await forger.receive(channel, sender, { text })));
    }
    await forger.receive(channel, sender, { data: `approve:${approval}:allow_once` });
    expect(texts.join("\n")).toMatch(CODE);
    expect(texts.join("\n")).not.toContain(victim.email);
    expect(await forger.tasksOf(victim)).toEqual(before);
    expect(await forger.homesOf(victim)).toEqual([]);
    expect(await forger.answerOf(approval)).toBeNull();
    // Nobody is kept from the own channel by a code that was asked for in their name elsewhere.
    if (platform === "cli") return;
    expect(await whoami(victim, victim.channel)).toContain(victim.email);
  });
});

describe.each(some(REAL, 2))("through somebody else's %s channel, a linked person", (platform) => {
  it("has no address, no home, no schedules, and no workspace of their own", async () => {
    const victim = await forger.victim(platform);
    const channel = await linkedChannelOf("a stranger's", victim, { projectId: null });
    const sender = ownOf(victim);
    const texts: string[] = [];
    for (const text of ["/whoami", "/sethome", "/schedules", "Write a file"]) {
      texts.push(...(await forger.receive(channel, sender, { text })));
    }
    expect(texts.join("\n")).not.toContain(victim.email);
    expect(texts.at(-1)).toContain("works for its owner alone");
    expect(await forger.homesOf(victim)).toEqual([]);
    expect(await forger.tasksOf(victim)).toEqual([]);
  });

  it("does nothing in a project that the person has no part in", async () => {
    const victim = await forger.victim(platform);
    const channel = await linkedChannelOf("a stranger's", victim);
    const said = { text: "Write a file" };
    const [refusal] = await forger.receive(channel, ownOf(victim), said);
    expect(refusal).toContain("no access to the project");
    expect(await forger.tasksOf(victim)).toEqual([]);
  });

  it("answers only what was asked in this very channel", async () => {
    const victim = await forger.victim(platform);
    const sender = ownOf(victim);
    for (const owner of CHANNELS) {
      const channel = await linkedChannelOf(owner, victim);
      const approval = await forger.question(victim);
      for (const choice of ["allow_once", "allow_all", "stop"]) {
        await forger.receive(channel, sender, { data: `approve:${approval}:${choice}` });
      }
      expect(await forger.answerOf(approval)).toBeNull();
    }
  });
});

describe("through a channel of the team, a linked person's message", () => {
  it("may do what the channel's owner may, and no more", async () => {
    const victim = await forger.victim("telegram");
    const sender = ownOf(victim);
    await forger.receive(await linkedChannelOf("the team's", victim), sender, { text: "Write a file" });
    await forger.receive(victim.channel, sender, { text: "Write a file" });
    // No schedule, which would go on for the person after the owner's word has lost its weight.
    const most = scopesOfRole("editor").filter((scope) => scope !== "project.edit");
    expect((await forger.tasksOf(victim)).map(({ scopes }) => scopes)).toEqual([most, null]);
  });

  it("goes on in no chat of another project, such as that of a run whose result was sent there", async () => {
    const victim = await forger.victim("telegram");
    const channel = await linkedChannelOf("the team's", victim);
    const agentChat = await forger.rows.chat(victim);
    await forger.rows.session(victim, channel, { chatId: victim.senderId, agentChat });
    const moved = await forger.rows.project(await forger.rows.person());
    await forger.rows.join({ id: channel.userId }, moved);
    await forger.rows.join(victim, moved);
    await move(channel, moved);
    await forger.receive(channel, ownOf(victim), { text: "Write a file" });
    expect((await forger.tasksOf(victim)).map(({ projectId }) => projectId)).toEqual([moved]);
  });

  it("makes no home in place of the person's own", async () => {
    const victim = await forger.victim("telegram");
    const sender = ownOf(victim);
    const channel = await linkedChannelOf("the team's", victim);
    await forger.receive(victim.channel, sender, { text: "/sethome" });
    await forger.receive(channel, sender, { text: "/sethome" }, "elsewhere");
    expect(new Set(await forger.homesOf(victim))).toEqual(new Set([victim.senderId, "elsewhere"]));
    const task = await forger.rows.task(victim);
    const reach = await readReach(database.db, task, { platform: "telegram", targets: [] });
    expect(chooseOwn(reach)).toMatchObject({ place: { chatId: victim.senderId } });
  });

  it("brings no context of chats that its owner does not read", async () => {
    const victim = await forger.victim("telegram");
    const agentChat = await forger.rows.chat(victim, ["A secret of mine", "It is safe"]);
    await forger.rows.session(victim, victim.channel, { chatId: victim.senderId, agentChat });
    const channel = await linkedChannelOf("the team's", victim);
    const sender = ownOf(victim);
    await forger.receive(channel, sender, { text: "Hello" });
    const [task] = await forger.tasksOf(victim);
    const stored = await database.db
      .select()
      .from(messages)
      .where(eq(messages.taskId, task?.id ?? ""));
    expect(stored).toHaveLength(1);
    expect(JSON.stringify(stored)).not.toContain("A secret of mine");
  });
});

const move = ({ id }: { id: string }, projectId: string) =>
  database.db.update(channelConfigs).set({ projectId }).where(eq(channelConfigs.id, id));

/** A task that a linked person asked for through a channel of the team. */
async function running() {
  const victim = await forger.victim("telegram");
  const channel = await linkedChannelOf("the team's", victim);
  const sender = ownOf(victim);
  await forger.receive(channel, sender, { text: "Write a file" });
  const [task] = await forger.tasksOf(victim);
  return { victim, channel, sender, taskId: task?.id ?? "" };
}

const replyOf = (taskId: string) =>
  database.db
    .select()
    .from(channelMessages)
    .where(eq(channelMessages.occasion, `task:${taskId}`));

describe("what is under way through a channel, the reply and what the agent asks, ends for a person", () => {
  it("whose link was removed; the links in other channels stay", async () => {
    const { victim, channel, sender, taskId } = await running();
    await forger.unlink(victim, channel);
    const before = forger.sent.length;
    await sendApprovalCards(forger.deps, taskId);
    await finish(taskId);
    await replyToTask(forger.deps, taskId);
    expect(forger.sent).toHaveLength(before);
    expect(await replyOf(taskId)).toMatchObject([
      { status: "failed", error: expect.stringContaining("no longer linked") },
    ]);
    expect((await forger.receive(channel, sender, { text: "/whoami" })).join()).not.toContain(victim.email);
    expect(await whoami(victim, victim.channel)).toContain(victim.email);
  });

  it("who has lost the project", async () => {
    const { victim, channel, taskId } = await running();
    const elsewhere = await forger.rows.project(victim);
    await move(channel, elsewhere);
    const before = forger.sent.length;
    await finish(taskId);
    await replyToTask(forger.deps, taskId);
    expect(forger.sent).toHaveLength(before);
    expect(await replyOf(taskId)).toMatchObject([{ status: "failed" }]);
  });
});

const finish = (taskId: string) =>
  database.db
    .update(tasks)
    .set({ status: "completed", response: "A secret answer", completedAt: new Date() })
    .where(eq(tasks.id, taskId));

const share = (id: string, since: Date) =>
  database.db.update(channelConfigs).set({ linksSharedSince: since }).where(eq(channelConfigs.id, id));

it("links that the owner of several bots shares count in channels of the same owner that share them, from then on", async () => {
  const victim = await forger.victim("telegram");
  const channel = await linkedChannelOf("the team's", victim);
  const owner = { id: channel.userId };
  const second = await forger.rows.channel(owner, { projectId: channel.projectId });
  const foreign = await channelOf("the team's", victim);
  const past = new Date(Date.now() - 60_000);
  await share(channel.id, past);
  expect(await whoami(victim, second)).toMatch(CODE);
  await share(foreign.id, past);
  expect(await whoami(victim, foreign)).toMatch(CODE);
  await share(second.id, past);
  expect(await whoami(victim, second)).toContain(victim.email);
  // What was linked before stays where it was.
  await share(second.id, new Date(Date.now() + 60_000));
  expect(await whoami(victim, second)).not.toContain(victim.email);
});
