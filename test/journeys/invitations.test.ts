import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Account } from "#test/support/api-client.ts";
import { databaseOf } from "#test/support/database.ts";
import { inbox } from "#test/support/inbox.ts";
import { startService, type TestService } from "#test/support/service.ts";
import { startSmtpServer, type TestSmtpServer } from "#test/support/smtp-server.ts";
import { newTeamClient, type TeamClient, type TeamView } from "#test/support/team-client.ts";

let smtp: TestSmtpServer;
let service: TestService;
beforeAll(async () => {
  smtp = await startSmtpServer();
  service = await startService(smtp.variables);
  await service.signUp("administrator");
});
afterAll(async () => {
  await service.close();
  await smtp.close();
});

interface Made {
  id: string;
  email: string;
  invite_url: string;
}

const tokenOf = ({ invite_url: url }: Pick<Made, "invite_url">) => url.split("/").at(-1) ?? "";
const show = (made: Pick<Made, "invite_url">) =>
  service.call("GET", `/api/teams/invitations/${tokenOf(made)}`);
const accept = ({ token }: Account, made: Pick<Made, "invite_url">) =>
  service.call<TeamView>("POST", `/api/teams/invitations/${tokenOf(made)}/accept`, { token });

async function invite(team: TeamClient, email: string, role = "editor"): Promise<Made> {
  const { status, body, text } = await team.asOwner<Made>("POST", "/members/invite", { email, role });
  if (status !== 201) throw new Error(`Inviting answered ${status}: ${text}`);
  return body;
}

async function link(team: TeamClient, wish: object): Promise<Made> {
  return (await team.asOwner<Made>("POST", "/members/link", { role: "viewer", ...wish })).body;
}

/** As if everything had happened so long ago. */
async function age(id: string, interval: string) {
  await databaseOf(service).execute(
    sql`UPDATE team_invitations SET expires_at = expires_at - ${interval}::interval WHERE id = ${id}::uuid`,
  );
}

const gone = { status: 410, body: { detail: "This invitation is no longer valid: ask for a new one" } };
const already = { status: 409, body: { detail: "You are already a member of this team" } };

describe("an invitation for an address", () => {
  it("comes by mail, is shown to every holder of the link, and is accepted once", async () => {
    const team = await newTeamClient(service);
    const guest = await service.signUp("guest");
    const invited = await team.asOwner<Made>("POST", "/members/invite", {
      email: guest.email,
      role: "editor",
    });
    expect(invited).toMatchObject({
      status: 201,
      body: {
        id: expect.any(String),
        email: guest.email,
        role: "editor",
        mail: "sent",
        expires_at: expect.stringMatching(/Z$/u),
        created_at: expect.stringMatching(/Z$/u),
        invite_url: expect.stringContaining(`${service.url}/invite/`),
      },
    });
    const mail = await inbox(smtp, guest.email, /^Invitation to the team "Team"$/u).next();
    expect(mail.text).toContain(invited.body.invite_url);

    expect(await show(invited.body)).toMatchObject({
      status: 200,
      body: {
        team_name: "Team",
        inviter_name: team.owner.username,
        role: "editor",
        kind: "email",
        email: `g…@example.com`,
      },
    });
    const joined = await accept(guest, invited.body);
    expect(joined).toMatchObject({ status: 200, body: { id: team.team.id, role: "editor" } });
    expect(await accept(guest, invited.body)).toMatchObject(already);
    expect(await show(invited.body)).toMatchObject(gone);
    expect(await accept(await service.signUp(), invited.body)).toMatchObject(gone);
  });

  it("is for the account with that address, and gives no access before it is accepted", async () => {
    const team = await newTeamClient(service);
    const email = `late-${crypto.randomUUID()}@example.com`;
    const made = await invite(team, email.toUpperCase());
    expect(await accept(await service.signUp(), made)).toMatchObject({
      status: 403,
      body: {
        detail:
          "This invitation is for another email address: sign in with the account that has that address",
      },
    });
    const registered = await service.call<{ access_token: string }>("POST", "/api/auth/register", {
      json: { email, password: "correct horse" },
    });
    const token = registered.body.access_token;
    const before = await service.call<TeamView[]>("GET", "/api/teams", { token });
    expect(before.body).toHaveLength(1);
    const path = `/api/teams/invitations/${tokenOf(made)}/accept`;
    expect((await service.call("POST", path, { token })).status).toBe(200);
    const after = await service.call<TeamView[]>("GET", "/api/teams", { token });
    expect(after.body.map(({ role }) => role)).toEqual(["admin", "editor"]);
  });

  it("is over when it expires, when it is revoked, and when a newer one is made", async () => {
    const team = await newTeamClient(service);
    const guest = await service.signUp("guest");
    const expired = await invite(team, guest.email);
    await age(expired.id, "7 days 1 second");
    const replaced = await invite(team, guest.email);
    const revoked = await invite(team, guest.email);
    const listed = await team.asOwner<Made[]>("GET", "/invitations");
    expect(listed.body).toEqual([
      {
        id: revoked.id,
        kind: "email",
        email: guest.email,
        role: "editor",
        max_uses: 1,
        uses: 0,
        invited_by_id: team.owner.id,
        inviter_name: team.owner.username,
        expires_at: expect.any(String),
        created_at: expect.any(String),
      },
    ]);
    expect(listed.text).not.toContain(tokenOf(revoked));
    expect((await team.asOwner("DELETE", `/invitations/${revoked.id}`)).status).toBe(204);
    expect((await team.asOwner("DELETE", `/invitations/${revoked.id}`)).status).toBe(404);
    for (const made of [expired, replaced, revoked]) {
      expect(await show(made)).toMatchObject(gone);
      expect(await accept(guest, made)).toMatchObject(gone);
    }
  });

  it("is not made for a member, nor for an invalid address", async () => {
    const team = await newTeamClient(service);
    const { email } = await team.join("viewer");
    const ask = (json: unknown) => team.asOwner("POST", "/members/invite", json);
    expect(await ask({ email, role: "admin" })).toMatchObject({
      status: 409,
      body: { detail: "This person is already a member of the team" },
    });
    for (const json of [{ email }, { email: "nobody", role: "viewer" }, { email, role: "owner" }, {}]) {
      expect((await ask(json)).status).toBe(422);
    }
  });

  it("is made all the same when the mail server is away, and mailed later", async () => {
    const team = await newTeamClient(service);
    const email = `patient-${crypto.randomUUID()}@example.com`;
    await smtp.down();
    const answer = await team.asOwner("POST", "/members/invite", { email, role: "viewer" });
    expect(answer).toMatchObject({ status: 201, body: { mail: "retrying" } });
    await smtp.up();
    expect((await smtp.mailTo(email)).text).toContain("/invite/");
  });

  it("is one of fifty a day", async () => {
    const team = await newTeamClient(service);
    const ask = () =>
      team.asOwner("POST", "/members/invite", {
        email: `${crypto.randomUUID()}@example.com`,
        role: "viewer",
      });
    const answers = await Promise.all(Array.from({ length: 52 }, ask));
    const refused = answers.filter(({ status }) => status !== 201);
    expect(refused.map(({ status }) => status)).toEqual([429, 429]);
    expect(Number(refused[0]?.headers.get("retry-after"))).toBeGreaterThan(86_000);
  });
});

describe("a link", () => {
  it("lets in as many as it is for", async () => {
    const team = await newTeamClient(service);
    const made = await team.asOwner<Made>("POST", "/members/link", { role: "viewer", max_uses: 2 });
    expect(made).toMatchObject({ status: 201, body: { role: "viewer", max_uses: 2, uses: 0 } });
    expect(await show(made.body)).toMatchObject({ status: 200, body: { kind: "link", email: null } });
    const guests = await Promise.all(Array.from({ length: 8 }, () => service.signUp("guest")));
    const answers = await Promise.all(guests.map((guest) => accept(guest, made.body)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(2);
    expect(answers.filter(({ status }) => status === 410)).toHaveLength(6);
    const members = await team.asOwner<unknown[]>("GET", "/members");
    expect(members.body).toHaveLength(3);
  });

  it("neither raises nor lowers the role of a member", async () => {
    const team = await newTeamClient(service);
    const viewer = await team.join("viewer");
    expect(await accept(viewer, await link(team, { role: "admin" }))).toMatchObject(already);
    expect(await accept(team.owner, await link(team, {}))).toMatchObject(already);
    const { body } = await team.asOwner<{ role: string }[]>("GET", "/members");
    expect(body.map(({ role }) => role)).toEqual(["admin", "viewer"]);
  });

  it("is one of ten at a time, with bounds on what it may be", async () => {
    const team = await newTeamClient(service);
    for (const wish of [
      { max_uses: 0 },
      { max_uses: 1.5 },
      { expires_in_days: 0 },
      { expires_in_days: 366 },
    ]) {
      expect((await team.asOwner("POST", "/members/link", { role: "viewer", ...wish })).status).toBe(422);
    }
    for (let made = 1; made <= 10; made += 1) await link(team, {});
    expect(await team.asOwner("POST", "/members/link", { role: "viewer" })).toMatchObject({
      status: 400,
      body: { detail: "A team may have 10 invitation links at a time: revoke one first" },
    });
  });
});

it("a token that was never issued is no invitation, signed in or not", async () => {
  const somebody = await service.signUp();
  for (const token of ["garbage", "%00", "x".repeat(64)]) {
    const unknown = { status: 404, body: { detail: "Invitation not found" } };
    expect(await show({ invite_url: token })).toMatchObject(unknown);
    expect(await accept(somebody, { invite_url: token })).toMatchObject(unknown);
  }
  const anonymous = await service.call("POST", "/api/teams/invitations/garbage/accept");
  expect(anonymous).toMatchObject({ status: 401, body: { detail: "Unauthorized" } });
});
