import { describe, expect, it } from "vitest";
import type { Account } from "#test/support/api-client.ts";
import { sharedService } from "#test/support/shared-service.ts";
import { newTeamClient, type TeamView } from "#test/support/team-client.ts";

const service = sharedService();

const call = <T = unknown>(who: Account, method: string, path: string, json?: unknown) =>
  service.call<T>(method, path, { token: who.token, json });

const notFound = { status: 404, body: { detail: "Team not found" } };

describe("teams", () => {
  it("begin with the personal one, in the shape clients read, which is not deleted", async () => {
    const ann = await service.signUp("ann");
    const { body } = await call<TeamView[]>(ann, "GET", "/api/teams");
    expect(body).toMatchObject([
      {
        name: `${ann.username}'s team`,
        slug: expect.stringMatching(/-team$/u),
        is_personal: true,
        created_by_id: ann.id,
        role: "admin",
        subscription_tier: "free",
        total_credits: 15_005,
        daily_credits: 5,
        signup_bonus_credits: 15_000,
        support_tier: "community",
      },
    ]);
    const path = `/api/teams/${body[0]?.slug}`;
    expect(await call(ann, "DELETE", path)).toMatchObject({
      status: 400,
      body: { detail: "A personal team cannot be deleted" },
    });
  });

  it("are made, changed, and found under their slug by members only", async () => {
    const [ann, bob] = [await service.signUp("ann"), await service.signUp("bob")];
    const slug = `lab-${crypto.randomUUID()}`;
    const made = await call(ann, "POST", "/api/teams", { name: "  Lab  ", slug });
    expect(made).toMatchObject({
      status: 201,
      body: { name: "Lab", slug, is_personal: false, role: "admin" },
    });
    expect(await call(bob, "POST", "/api/teams", { name: "Lab", slug })).toMatchObject({
      status: 409,
      body: { detail: "This slug is taken: choose another" },
    });
    const path = `/api/teams/${slug}`;
    const shape = { name: "Workshop", slug: `${slug}-2`, avatar_url: "https://example.com/a.png" };
    expect(await call(ann, "PATCH", path, shape)).toMatchObject({ status: 200, body: shape });
    expect(await call(ann, "GET", path)).toMatchObject(notFound);
    expect(await call(ann, "GET", `${path}-2/`)).toMatchObject({ status: 200, body: shape });
    expect(await call(bob, "GET", `${path}-2`)).toMatchObject(notFound);
    // No picture that is not on the web.
    for (const avatar_url of ["javascript:alert(1)", "data:text/html,x", "a.png"]) {
      expect((await call(ann, "PATCH", `${path}-2`, { avatar_url })).status).toBe(422);
    }
  });

  it.each([
    ["a blank name", { name: " " }, 422],
    ["a slug that ends in a hyphen", { name: "a", slug: "ab-" }, 422],
    ["a slug that is a path of ours", { name: "a", slug: "invitations" }, 400],
  ])("are not made with %s", async (_, json, status) => {
    const answer = await call(await service.signUp(), "POST", "/api/teams", json);
    expect(answer).toMatchObject({ status, body: { detail: expect.any(String) } });
  });
});

it("members are listed in the order of joining, and keep an administrator", async () => {
  const { owner, join, path, asOwner } = await newTeamClient(service);
  const viewer = await join("viewer");
  const { body } = await call(viewer, "GET", path("/members"));
  expect(body).toEqual([
    {
      user_id: owner.id,
      name: owner.username,
      username: owner.username,
      email: owner.email,
      avatar_url: null,
      role: "admin",
      joined_at: expect.stringMatching(/Z$/u),
    },
    expect.objectContaining({ user_id: viewer.id, role: "viewer" }),
  ]);
  const detail = "A team needs an administrator: make another member an administrator first";
  expect(await asOwner("POST", "/leave")).toMatchObject({ status: 409, body: { detail } });
});
