import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { deploymentCredentials, projects, teamMemberships } from "#src/db/schema/index.ts";
import {
  beginConnection,
  credentialsIn,
  finishConnection,
  firstOf,
} from "#src/domain/hosting/credentials/index.ts";
import { createProject } from "#src/domain/workspaces/projects/index.ts";
import { newColleague, newMember, type Colleague } from "#test/support/colleagues.ts";
import { timesAtOnce } from "#test/support/at-once.ts";
import { fileDatabase } from "#test/support/database.ts";
import { CLIENT } from "#test/support/people.ts";
import { credentialDeps, hostingDouble } from "./hosting-double.ts";

const { db } = await fileDatabase();
const { hosting, behaviour, seen } = hostingDouble();
const deps = credentialDeps(db, hosting);

type WayBack = Parameters<typeof finishConnection>[1];

/** A person at the provider's page, about to come back. */
async function goTo(project: string | null = null, person?: Colleague) {
  const who = person ?? (await newColleague(db));
  const begun = await beginConnection(deps, who.caller, { provider: "vercel", project });
  const state = new URL(begun.authorizationUrl).searchParams.get("state") ?? "";
  const comeBack = (change: Partial<WayBack> & { query?: Record<string, string> } = {}) =>
    finishConnection(deps, {
      provider: "vercel",
      parameters: new URLSearchParams(change.query ?? { state, code: "good" }),
      cookie: begun.cookie.value,
      visitor: who.caller,
      client: CLIENT,
      ...change,
    });
  return { who, state, begun, comeBack };
}

const storedFor = ({ id }: Colleague) =>
  db.select().from(deploymentCredentials).where(eq(deploymentCredentials.userId, id));

const newProject = ({ caller }: Colleague) =>
  createProject(deps, caller, { name: "app", description: "", sourceType: "empty" });

const BAD_STATE = { code: "invalid_input", message: "INVALID_STATE_TOKEN" };

describe("an account", () => {
  it("is connected to whoever began, with what the provider says of it", async () => {
    behaviour.isStandin = true;
    const metadata = { team_id: "team_1", account_name: "Ada" };
    const expiresAt = new Date(Date.now() + 3_600_000);
    behaviour.grant = () => ({ accessToken: "granted", refreshToken: "refresh", expiresAt, metadata });
    const { who, comeBack } = await goTo();
    expect(await comeBack()).toEqual({ label: "Vercel", isConnected: true });
    const place = { userId: who.id, provider: "vercel", projectId: null } as const;
    expect((await firstOf(deps, place, await credentialsIn(deps.db, place))).access).toEqual({
      token: "granted",
      metadata,
      isStandin: true,
    });
    expect(await storedFor(who)).toMatchObject([{ authType: "oauth", isStandin: true }]);
    behaviour.isStandin = false;
  });

  it("is exchanged with the verifier that never left the service", async () => {
    const { comeBack, begun, state } = await goTo();
    seen.exchanges = [];
    await comeBack();
    const verifier = seen.exchanges[0]?.[1].verifier ?? "";
    expect(verifier).toMatch(/^[\w-]{43,128}$/u);
    const visible = [begun.authorizationUrl, begun.cookie.value, atob(state.split(".")[1] ?? "")].join(" ");
    expect(visible).not.toContain(verifier);
  });

  it("is connected for a project", async () => {
    const who = await newColleague(db);
    const { id } = await newProject(who);
    const { comeBack } = await goTo(id, who);
    await comeBack();
    expect(await storedFor(who)).toMatchObject([{ projectId: id }]);
  });
});

describe("a way back", () => {
  it("is good once, also for callbacks at the same time", async () => {
    const { who, comeBack } = await goTo();
    const { refused } = await timesAtOnce(3, () => comeBack());
    expect(refused).toMatchObject([BAD_STATE, BAD_STATE]);
    await expect(comeBack()).rejects.toMatchObject(BAD_STATE);
    expect(await storedFor(who)).toHaveLength(1);
  });

  it("is refused in another browser, without a session, in another session and for another person", async () => {
    const { who, comeBack } = await goTo();
    const attacker = await goTo();
    const attempts = [
      { cookie: undefined },
      { cookie: attacker.begun.cookie.value },
      { visitor: undefined },
      { visitor: { ...who.caller, sessionId: crypto.randomUUID() } },
      { visitor: attacker.who.caller },
      { visitor: attacker.who.caller, cookie: attacker.begun.cookie.value },
      { query: { code: "good" } },
      { query: { state: "forged", code: "good" } },
      { provider: "netlify" as const },
    ];
    for (const attempt of attempts) await expect(comeBack(attempt)).rejects.toMatchObject(BAD_STATE);
    expect(await storedFor(who)).toEqual([]);
    expect(await storedFor(attacker.who)).toEqual([]);
    // None of these used the state up.
    expect(await comeBack()).toMatchObject({ isConnected: true });
  });

  it.each([
    ["declined", { error: "access_denied", error_description: "<script>alert(1)</script>" }],
    ["has a code that the provider refuses", { code: "bad" }],
  ])("connects nothing where the person %s, and is used up", async (_, query) => {
    const { who, state, comeBack } = await goTo();
    expect(await comeBack({ query: { state, ...query } })).toEqual({ label: "Vercel", isConnected: false });
    await expect(comeBack()).rejects.toMatchObject(BAD_STATE);
    expect(await storedFor(who)).toEqual([]);
  });
});

describe("a project", () => {
  it("is checked at the beginning", async () => {
    const owner = await newColleague(db);
    const { id, teamId } = await newProject(owner);
    await expect(goTo(id, await newColleague(db))).rejects.toMatchObject({ code: "not_found" });
    const viewer = await newMember(db, teamId, "viewer");
    await expect(goTo(id, viewer)).rejects.toMatchObject({ code: "forbidden" });
  });

  it("is checked at the end: of one that was left or deleted nothing is stored, nor as the default", async () => {
    const owner = await newColleague(db);
    const { id, teamId } = await newProject(owner);
    const editor = await newMember(db, teamId, "editor");
    const [left, deleted] = [await goTo(id, editor), await goTo(id, owner)];
    seen.exchanges = [];
    await db.delete(teamMemberships).where(eq(teamMemberships.userId, editor.id));
    expect(await left.comeBack()).toMatchObject({ isConnected: false });
    await db.delete(projects).where(eq(projects.id, id));
    expect(await deleted.comeBack()).toMatchObject({ isConnected: false });
    expect([...(await storedFor(editor)), ...(await storedFor(owner))]).toEqual([]);
    expect(seen.exchanges).toEqual([]);
  });
});

it("is not configured where there is no app", async () => {
  behaviour.hasApp = false;
  await expect(goTo()).rejects.toMatchObject({ code: "not_configured", status: 501 });
  behaviour.hasApp = true;
});
