import { eq, sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { teamInvitations, teams, users } from "#src/db/schema/index.ts";
import {
  acceptInvitation,
  createLink,
  inviteMember,
  listInvitations,
  revokeInvitation,
  showInvitation,
} from "#src/domain/organisations/invitations/index.ts";
import { changeRole, leaveTeam } from "#src/domain/programs/members/index.ts";
import { deleteTeam } from "#src/domain/organisations/teams/index.ts";
import { auditEntries } from "#test/domain/access/support/audit-entries.ts";
import { allAtOnce, timesAtOnce } from "#test/support/at-once.ts";
import { fileDatabase } from "#test/support/database.ts";
import { CLIENT, sessionDeps } from "#test/support/people.ts";
import { type Colleague, newColleague, newMember, newTeam, rolesOf } from "#test/support/colleagues.ts";
import { RACES } from "#test/support/races.ts";

const database = await fileDatabase();
const { db } = database;

/** Without a mail server: what is mailed is shown by the journeys. */
const deps = () => sessionDeps(db);

type Team = Awaited<ReturnType<typeof newTeam>>;
type Role = Parameters<typeof changeRole>[3];

const invite = (team: Team, email: string, role: Role = "editor") =>
  inviteMember(deps(), team.admin, { email, role }, CLIENT);
const link = (team: Team, maxUses: number | null = null, role: Role = "viewer") =>
  createLink(deps(), team.admin, { role, maxUses, days: 30 }, CLIENT);
const revoke = (by: Team, id: string) => revokeInvitation(database, by.admin, id, CLIENT);
const tokenOf = ({ url }: { url: string }) => url.slice(url.lastIndexOf("/") + 1);
const accept = ({ caller }: Colleague, made: { url: string }) =>
  acceptInvitation(database, caller, tokenOf(made), CLIENT);
const show = (made: { url: string }) => showInvitation(database, tokenOf(made));

const gone = expect.objectContaining({
  code: "gone",
  message: "This invitation is no longer valid: ask for a new one",
});
const already = expect.objectContaining({
  code: "conflict",
  message: "You are already a member of this team",
});

const stored = async (id: string) =>
  (await db.select().from(teamInvitations).where(eq(teamInvitations.id, id)))[0];

const people = (count: number) => Promise.all(Array.from({ length: count }, () => newColleague(db, "guest")));

/** As if it had been made so long ago. */
async function age(id: string, interval: string) {
  await db
    .update(teamInvitations)
    .set({
      createdAt: sql`created_at - ${interval}::interval`,
      expiresAt: sql`expires_at - ${interval}::interval`,
    })
    .where(eq(teamInvitations.id, id));
}

describe("an invitation for an address", () => {
  it("is stored as a hash, shown with the address hidden, and makes its holder a member once", async () => {
    const team = await newTeam(db);
    const guest = await newColleague(db, "guest");
    const made = await invite(team, guest.email.toUpperCase());
    expect(made).toMatchObject({ mail: "not_configured", invitation: { role: "editor", kind: "email" } });
    expect(made.url).toMatch(/^https:\/\/service\.test\/invite\/[\w-]{64}$/u);
    const shown = { teamName: "Team", role: "editor", kind: "email", email: "G…@EXAMPLE.COM" };
    expect(await show(made)).toMatchObject(shown);
    expect(await accept(guest, made)).toMatchObject({ role: "editor", team: { id: team.id } });
    await expect(accept(guest, made)).rejects.toEqual(already);
    await expect(show(made)).rejects.toEqual(gone);
    const log = await auditEntries(db, { teamId: team.id });
    expect(log).toMatchObject([
      { action: "team.created" },
      { action: "member.invited", userId: team.owner.id },
      { action: "member.joined", userId: guest.id },
    ]);
    const kept = [log, await stored(made.invitation.id)];
    expect(JSON.stringify(kept)).not.toContain(tokenOf(made));
  });

  it("is for the account that has the address now", async () => {
    const team = await newTeam(db);
    const [guest, other] = [await newColleague(db), await newColleague(db)];
    const made = await invite(team, guest.email);
    const forbidden = expect.objectContaining({ code: "forbidden" });
    await expect(accept(other, made)).rejects.toEqual(forbidden);
    await db
      .update(users)
      .set({ email: `moved-${guest.email}` })
      .where(eq(users.id, guest.id));
    await expect(accept(guest, made)).rejects.toEqual(forbidden);
    await db.update(users).set({ email: guest.email }).where(eq(users.id, other.id));
    expect(await accept(other, made)).toMatchObject({ role: "editor" });
  });

  it("is over when it has expired, was revoked, or a newer one was made for the address", async () => {
    const team = await newTeam(db);
    const guest = await newColleague(db);
    const expired = await invite(team, guest.email);
    await age(expired.invitation.id, "7 days 1 minute");
    const revoked = await invite(team, guest.email);
    await revoke(team, revoked.invitation.id);
    const replaced = await invite(team, guest.email);
    const newest = await invite(team, guest.email.toUpperCase(), "viewer");
    for (const made of [expired, revoked, replaced]) {
      await expect(accept(guest, made)).rejects.toEqual(gone);
      await expect(show(made)).rejects.toEqual(gone);
    }
    expect((await listInvitations(database, team.id)).map(({ invitation }) => invitation.id)).toEqual([
      newest.invitation.id,
    ]);
    expect(await accept(guest, newest)).toMatchObject({ role: "viewer" });
  });

  it("is not made for a member of the team, and leaves an earlier one as it is", async () => {
    const team = await newTeam(db);
    const viewer = await newMember(db, team.id, "viewer");
    await expect(invite(team, viewer.email.toUpperCase())).rejects.toMatchObject({
      code: "conflict",
      message: "This person is already a member of the team",
    });
    expect(await listInvitations(database, team.id)).toEqual([]);
  });

  it("is made fifty times a day by a team, however many are asked for at once", async () => {
    const team = await newTeam(db);
    const { refused } = await timesAtOnce(52, (nth) => invite(team, `guest-${nth}@example.com`));
    const aDay = expect.toSatisfy((seconds: number) => seconds >= 80_000 && seconds < 90_000);
    const limited = { code: "rate_limited", retryAfterSeconds: aDay };
    expect(refused).toMatchObject([limited, limited]);
    const made = await listInvitations(database, team.id);
    expect(made).toHaveLength(50);
    await age(made[0]?.invitation.id ?? "", "24 hours");
    await expect(invite(team, "late@example.com")).resolves.toBeDefined();
    await expect(invite(team, "later@example.com")).rejects.toMatchObject({ code: "rate_limited" });
  });
});

describe("a link", () => {
  it("lets in exactly as many as it is for, of eight who come at once, and all without a limit until it expires", async () => {
    const team = await newTeam(db);
    const guests = await people(8);
    const [made, endless] = [await link(team, 3), await link(team)];
    const { refused } = await allAtOnce(guests.map((guest) => accept(guest, made)));
    expect(refused).toEqual(Array.from({ length: 5 }, () => gone));
    await allAtOnce(guests.map((guest) => accept(guest, endless)));
    expect(Object.keys(await rolesOf(db, team.id))).toHaveLength(9);
    const uses = [await stored(made.invitation.id), await stored(endless.invitation.id)];
    expect(uses).toMatchObject([{ uses: 3 }, { uses: 5 }]);
    await age(endless.invitation.id, "30 days");
    await expect(accept(await newColleague(db), endless)).rejects.toEqual(gone);
  });

  it("is used once by a person who accepts it many times at once", async () => {
    const team = await newTeam(db);
    const guest = await newColleague(db);
    const links = [await link(team, 10), await link(team, 10, "admin")];
    const { refused } = await allAtOnce([...links, ...links, ...links].map((each) => accept(guest, each)));
    expect(refused).toEqual(Array.from({ length: 5 }, () => already));
    const uses = await Promise.all(links.map(({ invitation }) => stored(invitation.id)));
    expect(uses.reduce((sum, row) => sum + (row?.uses ?? 0), 0)).toBe(1);
  });

  it("neither raises nor lowers a member, and is not used up by one", async () => {
    const team = await newTeam(db);
    const editor = await newMember(db, team.id, "editor");
    for (const role of ["admin", "viewer"] as const) {
      const made = await link(team, 1, role);
      await expect(accept(editor, made)).rejects.toEqual(already);
      expect(await stored(made.invitation.id)).toMatchObject({ uses: 0 });
    }
    expect(await rolesOf(db, team.id)).toMatchObject({ [editor.id]: "editor" });
  });

  it("is one of ten, however many are asked for at once; one that is over makes room", async () => {
    const team = await newTeam(db);
    const { refused } = await timesAtOnce(12, () => link(team, 1));
    const message = "A team may have 10 invitation links at a time: revoke one first";
    const full = { code: "invalid_input", message };
    expect(refused).toMatchObject([full, full]);
    const [first] = await listInvitations(database, team.id);
    await revoke(team, first?.invitation.id ?? "");
    await accept(await newColleague(db), await link(team, 1));
    await expect(link(team)).resolves.toBeDefined();
  });
});

describe("invitations", () => {
  it("of a former administrator are over, and no others", async () => {
    const team = await newTeam(db);
    const [one, two] = [await newMember(db, team.id, "admin"), await newMember(db, team.id, "admin")];
    const { invitation } = await link(team);
    const made = [await link({ ...team, admin: one.member }), await link({ ...team, admin: two.member })];
    const deciding = { ...database, queue: { publishBatch: async () => {} } };
    await changeRole(deciding, team.admin, one.id, "editor", CLIENT);
    await leaveTeam(deciding, two.member, CLIENT);
    for (const each of made) await expect(show(each)).rejects.toEqual(gone);
    expect(await listInvitations(database, team.id)).toMatchObject([{ invitation: { id: invitation.id } }]);
    const forbidden = { code: "forbidden" };
    const former = { ...team, admin: one.member };
    await expect(link(former)).rejects.toMatchObject(forbidden);
    await expect(invite(former, "a@example.com")).rejects.toMatchObject(forbidden);
  });

  it("are revoked once, by their own team; others are not found", async () => {
    const [team, other] = [await newTeam(db), await newTeam(db)];
    const { invitation } = await link(team);
    const unknown = expect.objectContaining({ code: "not_found", message: "Invitation not found" });
    await expect(revoke(other, invitation.id)).rejects.toEqual(unknown);
    await expect(revoke(team, "garbage\0")).rejects.toEqual(unknown);
    await revoke(team, invitation.id);
    await expect(revoke(team, invitation.id)).rejects.toEqual(unknown);
    for (const url of [`/invite/${"x".repeat(64)}`, "/invite/\0"]) {
      await expect(accept(team.owner, { url })).rejects.toEqual(unknown);
      await expect(show({ url })).rejects.toEqual(unknown);
    }
  });

  it("of a team that is deleted meanwhile are not found, or were just in time", async () => {
    for (let round = 1; round <= RACES; round += 1) {
      const team = await newTeam(db);
      const made = await link(team);
      const { refused } = await allAtOnce<unknown>([
        ...(await people(3)).map((guest) => accept(guest, made)),
        link(team),
        invite(team, "somebody@example.com"),
        deleteTeam(database, team.admin, CLIENT),
      ]);
      expect(await db.$count(teams, eq(teams.id, team.id))).toBe(0);
      for (const reason of refused) expect(reason).toMatchObject({ code: "not_found" });
    }
  });
});
