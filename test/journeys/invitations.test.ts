import { beforeAll, describe, expect, it } from "vitest";
import type { Account } from "#test/support/api-client.ts";
import { caughtInbox } from "#test/support/inbox.ts";
import { otherSharedService, type SharedService } from "#test/support/shared-service.ts";
import { newTeamClient, type TeamView } from "#test/support/team-client.ts";

let service: SharedService;
beforeAll(async () => {
  service = await otherSharedService("codes");
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

const gone = { status: 410, body: { detail: "This invitation is no longer valid: ask for a new one" } };
const already = { status: 409, body: { detail: "You are already a member of this team" } };

describe("an invitation for an address", () => {
  it("comes by mail, is shown to every holder of the link, and is accepted once, by the account with the address", async () => {
    const team = await newTeamClient(service);
    const guest = await service.signUp("guest");
    const json = { email: guest.email, role: "editor" };
    const invited = await team.asOwner<Made>("POST", "/members/invite", json);
    expect(invited).toMatchObject({
      status: 201,
      body: {
        ...json,
        id: expect.any(String),
        mail: "sent",
        expires_at: expect.stringMatching(/Z$/u),
        created_at: expect.stringMatching(/Z$/u),
        invite_url: expect.stringContaining(`${service.url}/invite/`),
      },
    });
    const mail = await caughtInbox(service, guest.email, /^Invitation to the team "Team"$/u).next();
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
    const stranger = await service.signUp();
    expect(await accept(stranger, invited.body)).toMatchObject({
      status: 403,
      body: { detail: expect.stringMatching(/^This invitation is for another email address/u) },
    });
    const joined = await accept(guest, invited.body);
    expect(joined).toMatchObject({ status: 200, body: { id: team.team.id, role: "editor" } });
    expect(await accept(guest, invited.body)).toMatchObject(already);
    expect(await show(invited.body)).toMatchObject(gone);
    expect(await accept(stranger, invited.body)).toMatchObject(gone);
    expect(await team.asOwner("POST", "/members/invite", json)).toMatchObject({
      status: 409,
      body: { detail: "This person is already a member of the team" },
    });
    for (const refused of [{ email: guest.email }, { email: "nobody", role: "viewer" }]) {
      expect((await team.asOwner("POST", "/members/invite", refused)).status).toBe(422);
    }
  });

  it("is listed without its token, and over when it is revoked or a newer one is made", async () => {
    const team = await newTeamClient(service);
    const email = `guest-${crypto.randomUUID()}@example.com`;
    const invite = async () =>
      (await team.asOwner<Made>("POST", "/members/invite", { email, role: "editor" })).body;
    const [replaced, revoked] = [await invite(), await invite()];
    const listed = await team.asOwner<Made[]>("GET", "/invitations");
    expect(listed.body).toEqual([
      {
        id: revoked.id,
        kind: "email",
        email,
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
    for (const made of [replaced, revoked]) expect(await show(made)).toMatchObject(gone);
  });
});

it("a link lets in as many as it is for, with bounds on what it may be, and changes no member's role", async () => {
  const team = await newTeamClient(service);
  const ask = (json: object) =>
    team.asOwner<Made>("POST", "/members/link", { role: "viewer", max_uses: 2, ...json });
  const made = await ask({});
  expect(made).toMatchObject({ status: 201, body: { role: "viewer", max_uses: 2, uses: 0 } });
  expect(await show(made.body)).toMatchObject({ status: 200, body: { kind: "link", email: null } });
  const guests = await Promise.all(Array.from({ length: 4 }, () => service.signUp("guest")));
  const answers = await Promise.all(guests.map((guest) => accept(guest, made.body)));
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 200, 410, 410]);
  expect(await accept(team.owner, (await ask({})).body)).toMatchObject(already);
  const { body } = await team.asOwner<{ role: string }[]>("GET", "/members");
  expect(body.map(({ role }) => role)).toEqual(["admin", "viewer", "viewer"]);
  for (const wish of [{ max_uses: 0 }, { expires_in_days: 0 }, { expires_in_days: 366 }]) {
    expect((await ask(wish)).status).toBe(422);
  }
});

it("a token that was never issued is no invitation, signed in or not", async () => {
  const somebody = await service.signUp();
  for (const token of ["garbage", "%00"]) {
    const unknown = { status: 404, body: { detail: "Invitation not found" } };
    expect(await show({ invite_url: token })).toMatchObject(unknown);
    expect(await accept(somebody, { invite_url: token })).toMatchObject(unknown);
  }
  const anonymous = await service.call("POST", "/api/teams/invitations/garbage/accept");
  expect(anonymous).toMatchObject({ status: 401, body: { detail: "Unauthorized" } });
});
