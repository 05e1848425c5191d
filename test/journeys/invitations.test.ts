import { describe, expect, it } from "vitest";
import type { Account } from "#test/support/api-client.ts";
import { caughtInbox } from "#test/support/inbox.ts";
import { otherSharedService } from "#test/support/shared-service.ts";
import { newTeamClient, type TeamView } from "#test/support/team-client.ts";

const service = await otherSharedService("codes");

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
    expect(await accept(guest, invited.body)).toMatchObject({
      status: 200,
      body: { id: team.team.id, role: "editor" },
    });
    expect(await accept(guest, invited.body)).toMatchObject(already);
    expect(await show(invited.body)).toMatchObject(gone);
  });

  it("is listed without its token, until it is revoked", async () => {
    const team = await newTeamClient(service);
    const json = { email: `guest-${crypto.randomUUID()}@example.com`, role: "editor" };
    const { body: made } = await team.asOwner<Made>("POST", "/members/invite", json);
    const listed = await team.asOwner<Made[]>("GET", "/invitations");
    const inviter = { invited_by_id: team.owner.id, inviter_name: team.owner.username };
    expect(listed.body).toMatchObject([
      { id: made.id, kind: "email", ...json, max_uses: 1, uses: 0, ...inviter },
    ]);
    expect(listed.text).not.toContain(tokenOf(made));
    expect((await team.asOwner("DELETE", `/invitations/${made.id}`)).status).toBe(204);
    expect((await team.asOwner("DELETE", `/invitations/${made.id}`)).status).toBe(404);
    expect(await show(made)).toMatchObject(gone);
  });
});

it("a link lets in as many as it is for, within bounds", async () => {
  const team = await newTeamClient(service);
  const ask = (json: object) =>
    team.asOwner<Made>("POST", "/members/link", { role: "viewer", max_uses: 1, ...json });
  const made = await ask({});
  expect(made).toMatchObject({ status: 201, body: { role: "viewer", max_uses: 1, uses: 0 } });
  expect(await show(made.body)).toMatchObject({ status: 200, body: { kind: "link", email: null } });
  expect(await accept(team.owner, made.body)).toMatchObject(already);
  expect(await accept(await service.signUp("guest"), made.body)).toMatchObject({ status: 200 });
  expect(await show(made.body)).toMatchObject(gone);
  for (const wish of [{ max_uses: 0 }, { expires_in_days: 0 }, { expires_in_days: 366 }]) {
    expect((await ask(wish)).status).toBe(422);
  }
});
