import { eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { auditLog, teamInvitations, teams, users } from "#src/db/schema/index.ts";
import {
  acceptInvitation,
  createLink,
  inviteMember,
  listInvitations,
  revokeInvitation,
  showInvitation,
} from "#src/domain/organisations/invitations/index.ts";
import { changeRole, leaveTeam } from "#src/domain/organisations/members/index.ts";
import { deleteTeam } from "#src/domain/organisations/teams/index.ts";
import { openDatabase } from "#test/support/database.ts";
import { CLIENT, sessionDeps } from "#test/support/people.ts";
import {
  asMember,
  newColleague,
  newMember,
  newTeam,
  rolesOf,
  type Colleague,
} from "#test/support/colleagues.ts";
import { RACES } from "#test/support/races.ts";

let database: Awaited<ReturnType<typeof openDatabase>>;
beforeAll(async () => {
  database = await openDatabase();
});
afterAll(async () => {
  await database.close();
});

/** Without a mail server: what is mailed is shown by the journeys. */
const deps = () => sessionDeps(database.db);

type Team = Awaited<ReturnType<typeof newTeam>>;
type Role = Parameters<typeof changeRole>[3];

const invite = (team: Team, email: string, role: Role = "editor") =>
  inviteMember(deps(), team.admin, { email, role }, CLIENT);
const link = (team: Team, maxUses: number | null = null, role: Role = "viewer") =>
  createLink(deps(), team.admin, { role, maxUses, days: 30 }, CLIENT);
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
  (await database.db.select().from(teamInvitations).where(eq(teamInvitations.id, id)))[0];

const reasons = (outcomes: PromiseSettledResult<unknown>[]) =>
  outcomes.flatMap((each) => (each.status === "rejected" ? [each.reason] : []));

const people = (count: number) =>
  Promise.all(Array.from({ length: count }, () => newColleague(database.db, "guest")));

/** As if it had been made so long ago. */
async function age(id: string, interval: string) {
  await database.db
    .update(teamInvitations)
    .set({
      createdAt: sql`created_at - ${interval}::interval`,
      expiresAt: sql`expires_at - ${interval}::interval`,
    })
    .where(eq(teamInvitations.id, id));
}

describe("an invitation for an address", () => {
  it("is stored as a hash, shown with the address hidden, and makes its holder a member once", async () => {
    const team = await newTeam(database.db);
    const guest = await newColleague(database.db, "guest");
    const made = await invite(team, guest.email.toUpperCase());
    expect(made).toMatchObject({ mail: "not_configured", invitation: { role: "editor", kind: "email" } });
    expect(made.url).toMatch(/^https:\/\/service\.test\/invite\/[\w-]{64}$/u);
    expect(JSON.stringify(await stored(made.invitation.id))).not.toContain(tokenOf(made));
    expect(await show(made)).toMatchObject({
      teamName: "Team",
      role: "editor",
      kind: "email",
      email: "G…@EXAMPLE.COM",
    });
    expect(await accept(guest, made)).toMatchObject({ role: "editor", team: { id: team.id } });
    await expect(accept(guest, made)).rejects.toEqual(already);
    await expect(show(made)).rejects.toEqual(gone);
    const log = await database.db.select().from(auditLog).where(eq(auditLog.teamId, team.id));
    expect(log.map(({ action, userId }) => [action, userId])).toEqual(
      expect.arrayContaining([
        ["member.invited", team.owner.id],
        ["member.joined", guest.id],
      ]),
    );
    expect(JSON.stringify(log)).not.toContain(tokenOf(made));
  });

  it("is for the account that has the address now", async () => {
    const team = await newTeam(database.db);
    const [guest, other] = [await newColleague(database.db), await newColleague(database.db)];
    const made = await invite(team, guest.email);
    const forbidden = expect.objectContaining({ code: "forbidden" });
    await expect(accept(other, made)).rejects.toEqual(forbidden);
    await database.db
      .update(users)
      .set({ email: `moved-${guest.email}` })
      .where(eq(users.id, guest.id));
    await expect(accept(guest, made)).rejects.toEqual(forbidden);
    await database.db.update(users).set({ email: guest.email }).where(eq(users.id, other.id));
    expect(await accept(other, made)).toMatchObject({ role: "editor" });
  });

  it("is over when it has expired, was revoked, or a newer one was made for the address", async () => {
    const team = await newTeam(database.db);
    const guest = await newColleague(database.db);
    const expired = await invite(team, guest.email);
    await age(expired.invitation.id, "7 days 1 minute");
    const revoked = await invite(team, guest.email);
    await revokeInvitation(database, team.admin, revoked.invitation.id, CLIENT);
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
    const team = await newTeam(database.db);
    const viewer = await newMember(database.db, team.id, "viewer");
    await expect(invite(team, viewer.email.toUpperCase())).rejects.toMatchObject({
      code: "conflict",
      message: "This person is already a member of the team",
    });
    expect(await listInvitations(database, team.id)).toEqual([]);
  });

  it("is made fifty times a day by a team, however many are asked for at once", async () => {
    const team = await newTeam(database.db);
    const asked = Array.from({ length: 52 }, (_, index) => invite(team, `guest-${index}@example.com`));
    const refused = reasons(await Promise.allSettled(asked));
    expect(refused).toHaveLength(2);
    for (const reason of refused) {
      expect(reason).toMatchObject({
        code: "rate_limited",
        retryAfterSeconds: expect.toSatisfy((seconds: number) => seconds >= 80_000 && seconds < 90_000),
      });
    }
    const made = await listInvitations(database, team.id);
    expect(made).toHaveLength(50);
    await age(made[0]?.invitation.id ?? "", "24 hours");
    await expect(invite(team, "late@example.com")).resolves.toBeDefined();
    await expect(invite(team, "later@example.com")).rejects.toMatchObject({ code: "rate_limited" });
  });
});

describe("a link", () => {
  it("lets in exactly as many as it is for, of twelve who come at once", async () => {
    const team = await newTeam(database.db);
    const guests = await people(12);
    const made = await link(team, 3);
    const refused = reasons(await Promise.allSettled(guests.map((guest) => accept(guest, made))));
    expect(refused).toHaveLength(9);
    expect(refused).toEqual(refused.map(() => gone));
    expect(Object.keys(await rolesOf(database.db, team.id))).toHaveLength(4);
    expect(await stored(made.invitation.id)).toMatchObject({ uses: 3 });
  });

  it("is used once by a person who accepts it many times at once", async () => {
    const team = await newTeam(database.db);
    const guest = await newColleague(database.db);
    const [one, two] = [await link(team, 10), await link(team, 10, "admin")];
    const asked = Array.from({ length: 8 }, (_, index) => accept(guest, index % 2 === 0 ? one : two));
    const refused = reasons(await Promise.allSettled(asked));
    expect(refused).toEqual(Array.from({ length: 7 }, () => already));
    const uses = await Promise.all([one, two].map(({ invitation }) => stored(invitation.id)));
    expect(uses.reduce((sum, row) => sum + (row?.uses ?? 0), 0)).toBe(1);
  });

  it("neither raises nor lowers a member, and is not used up by one", async () => {
    const team = await newTeam(database.db);
    const editor = await newMember(database.db, team.id, "editor");
    for (const role of ["admin", "viewer"] as const) {
      const made = await link(team, 1, role);
      await expect(accept(editor, made)).rejects.toEqual(already);
      expect(await stored(made.invitation.id)).toMatchObject({ uses: 0 });
    }
    expect(await rolesOf(database.db, team.id)).toMatchObject({ [editor.id]: "editor" });
  });

  it("without a limit lets every person in until it expires", async () => {
    const team = await newTeam(database.db);
    const made = await link(team);
    await Promise.all((await people(3)).map((guest) => accept(guest, made)));
    expect(await stored(made.invitation.id)).toMatchObject({ uses: 3 });
    await age(made.invitation.id, "30 days");
    await expect(accept(await newColleague(database.db), made)).rejects.toEqual(gone);
  });

  it("is one of ten, however many are asked for at once; one that is over makes room", async () => {
    const team = await newTeam(database.db);
    const outcomes = await Promise.allSettled(Array.from({ length: 12 }, () => link(team, 1)));
    const refused = reasons(outcomes);
    expect(refused).toHaveLength(2);
    for (const reason of refused) {
      expect(reason).toMatchObject({
        code: "invalid_input",
        message: "A team may have 10 invitation links at a time: revoke one first",
      });
    }
    const [first] = await listInvitations(database, team.id);
    await revokeInvitation(database, team.admin, first?.invitation.id ?? "", CLIENT);
    const made = await link(team, 1);
    await accept(await newColleague(database.db), made);
    await expect(link(team)).resolves.toBeDefined();
  });
});

describe("invitations", () => {
  it("of a former administrator are over", async () => {
    const team = await newTeam(database.db);
    const [one, two] = [
      await newMember(database.db, team.id, "admin"),
      await newMember(database.db, team.id, "admin"),
    ];
    const made = [await link({ ...team, admin: one.member }), await link({ ...team, admin: two.member })];
    const queue = { publishBatch: async () => {} };
    await changeRole({ ...database, queue }, team.admin, one.id, "editor", CLIENT);
    await leaveTeam({ ...database, queue }, two.member, CLIENT);
    for (const each of made)
      await expect(accept(two, each)).rejects.toMatchObject({ code: /gone|conflict/u });
    expect(await listInvitations(database, team.id)).toEqual([]);
    await expect(link({ ...team, admin: one.member })).rejects.toMatchObject({ code: "forbidden" });
    await expect(invite({ ...team, admin: one.member }, "a@example.com")).rejects.toMatchObject({
      code: "forbidden",
    });
  });

  it("are revoked once, by their own team", async () => {
    const [team, other] = [await newTeam(database.db), await newTeam(database.db)];
    const { invitation } = await link(team);
    const revoke = (by: Team, id: string) => revokeInvitation(database, by.admin, id, CLIENT);
    const unknown = expect.objectContaining({ code: "not_found", message: "Invitation not found" });
    await expect(revoke(other, invitation.id)).rejects.toEqual(unknown);
    await expect(revoke(team, "garbage\0")).rejects.toEqual(unknown);
    await revoke(team, invitation.id);
    await expect(revoke(team, invitation.id)).rejects.toEqual(unknown);
  });

  it("that were never issued are not found", async () => {
    const somebody = await newColleague(database.db);
    for (const url of ["/invite/garbage", "/invite/", `/invite/${"x".repeat(64)}`, "/invite/\0"]) {
      const unknown = expect.objectContaining({ code: "not_found", message: "Invitation not found" });
      await expect(accept(somebody, { url })).rejects.toEqual(unknown);
      await expect(show({ url })).rejects.toEqual(unknown);
    }
  });

  it("of a team that is deleted meanwhile are not found, or were just in time", async () => {
    for (let round = 1; round <= RACES; round += 1) {
      const team = await newTeam(database.db);
      const made = await link(team);
      const guests = await people(3);
      const outcomes = await Promise.allSettled([
        ...guests.map((guest) => accept(guest, made)),
        link(team),
        invite(team, "somebody@example.com"),
        deleteTeam(database, team.admin, CLIENT),
      ]);
      expect(await database.db.select().from(teams).where(eq(teams.id, team.id))).toEqual([]);
      for (const reason of reasons(outcomes)) expect(reason).toMatchObject({ code: "not_found" });
    }
  });

  it("may be to a personal team", async () => {
    const owner = await newColleague(database.db);
    const guest = await newColleague(database.db);
    const own = {
      id: owner.personalTeamId,
      slug: "",
      owner,
      admin: asMember(owner, owner.personalTeamId, "admin"),
    };
    expect(await accept(guest, await link(own))).toMatchObject({
      role: "viewer",
      team: { isPersonal: true },
    });
  });
});
