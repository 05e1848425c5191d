import { eq, is } from "drizzle-orm";
import { getTableConfig, PgTable } from "drizzle-orm/pg-core";
import { describe, expect, it } from "vitest";
import * as schema from "#src/db/schema/index.ts";
import { createChannel, updateChannel } from "#src/domain/messaging/channels/index.ts";
import { createProject } from "#src/domain/workspaces/projects/index.ts";
import { newColleague, newMember } from "#test/support/colleagues.ts";
import { fileDatabase } from "#test/support/database.ts";
import { channelInput } from "#test/domain/messaging/support/asked-telegram.ts";
import { drawn } from "#test/support/draw.ts";
import { CLIENT } from "#test/support/people.ts";
import { LOSSES } from "./support/ways-in/losses.ts";
import { openScene, type Scene } from "./support/ways-in/scene.ts";
import type { WayIn } from "./support/ways-in/way-in.ts";
import { TABLES, WAYS_IN } from "./support/ways-in/ways-in.ts";

const database = await fileDatabase();

async function openAll(scene: Scene, names: readonly string[]): Promise<Map<string, WayIn>> {
  const opened = new Map<string, WayIn>();
  for (const [name, open] of Object.entries(WAYS_IN)) {
    if (names.includes(name)) opened.set(name, await open(scene));
  }
  return opened;
}

const NAMES = Object.keys(WAYS_IN);
const channels = NAMES.filter((name) => name.startsWith("channel of "));
/** Of the channels, which run the same code, some with each loss. */
const tried = drawn(
  Object.keys(LOSSES).flatMap((loss) => channels.map((channel) => ({ loss, channel }))),
  { of: ({ loss }) => loss, kind: ({ channel }) => channel, each: 2 },
);
const namesWith = (loss: string) => [
  ...NAMES.filter((name) => !channels.includes(name)),
  ...tried.filter((each) => each.loss === loss).map(({ channel }) => channel),
];

/** Every use of every way in, as `<way in>: <use>`, and whether it worked. */
async function uses(ways: ReadonlyMap<string, WayIn>): Promise<Map<string, boolean>> {
  const found = new Map<string, boolean>();
  for (const [name, { works }] of ways) {
    for (const [use, worked] of Object.entries(await works())) found.set(`${name}: ${use}`, worked);
  }
  return found;
}

const channelsOf = ({ db, owner }: Scene) =>
  db.select().from(schema.channelConfigs).where(eq(schema.channelConfigs.userId, owner.id));

/** Tables whose rows belong to a person, and to a project or a team. */
function tablesOfPeople(): string[] {
  const tables: unknown[] = Object.values(schema);
  return tables.flatMap((table) => {
    if (!is(table, PgTable)) return [];
    const { name, foreignKeys } = getTableConfig(table);
    const named = new Set(foreignKeys.map((key) => getTableConfig(key.reference().foreignTable).name));
    return named.has("users") && (named.has("projects") || named.has("teams")) ? [name] : [];
  });
}

it("every table of a person in a project is a way in, or says what it is", () => {
  expect(tablesOfPeople().toSorted()).toEqual(Object.keys(TABLES).toSorted());
});

describe("a way in", () => {
  it("works while its owner has what it needs", async () => {
    const found = await uses(await openAll(await openScene(database.db), NAMES));
    expect([...found].filter(([, worked]) => !worked)).toEqual([]);
  });

  it.each(Object.entries(LOSSES))("ends with %s", async (loss, { lose, ends, endsChannels }) => {
    const scene = await openScene(database.db);
    const ways = await openAll(scene, namesWith(loss));
    await lose(scene);
    expect([...(await uses(ways))].filter(([use, worked]) => worked === ends(use))).toEqual([]);
    await scene.follow();
    const rest = (await channelsOf(scene)).map(({ isActive, endedBecause }) =>
      isActive ? null : endedBecause,
    );
    expect(rest.filter((why) => why !== endsChannels)).toEqual([]);
  });
});

describe("a channel about a project", () => {
  it("needs the permission to manage channels there", async () => {
    const { db, deps, team, owner, projectId } = await openScene(database.db);
    const input = channelInput({ channelType: "cli", credentials: {}, projectId });
    const make = ({ caller }: Pick<typeof owner, "caller">) => createChannel(deps, caller, input, CLIENT);
    const refused = [
      { who: await newMember(db, team.id, "viewer"), code: "forbidden" },
      { who: await newColleague(db), code: "not_found" },
    ];
    for (const { who, code } of refused) await expect(make(who)).rejects.toMatchObject({ code });
    await expect(make(owner)).resolves.toBeDefined();
    // Nor is a channel of one's own moved there.
    for (const { who, code } of refused) {
      const { channel } = await createChannel(deps, who.caller, { ...input, projectId: null }, CLIENT);
      const moved = updateChannel(deps, who.caller, channel.id, { projectId }, CLIENT);
      await expect(moved).rejects.toMatchObject({ code });
    }
  });

  it("that was deleted is switched on again only with another project", async () => {
    const scene = await openScene(database.db);
    const { deps, owner, projectId, rows } = scene;
    const { id } = await rows.channel(owner, { projectId, channelType: "cli" });
    await LOSSES["the end of the project"]?.lose(scene);
    await scene.follow();
    const change = (input: { isActive: true; projectId?: string }) =>
      updateChannel(deps, owner.caller, id, input, CLIENT);
    await expect(change({ isActive: true })).rejects.toMatchObject({
      code: "invalid_input",
      message: expect.stringContaining("project was deleted"),
    });
    const { id: another } = await createProject(deps, owner.caller, {
      name: "another",
      description: "",
      sourceType: "empty",
    });
    expect(await change({ isActive: true, projectId: another })).toMatchObject({
      channel: { isActive: true, lastError: null },
    });
  });
});
