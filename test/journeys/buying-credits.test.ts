import { expect, it } from "vitest";
import type { Account } from "#test/support/api-client.ts";
import { payerOf } from "#test/support/payer.ts";
import { sharedService } from "#test/support/shared-service.ts";
import { newTeamClient } from "#test/support/team-client.ts";

const service = sharedService();
const payer = payerOf(service);

interface Opened {
  session_id: string;
  url: string;
}

const buy = ({ token }: Account, name = "small", headers = {}) =>
  service.call<Opened>("POST", "/api/billing/credits/purchase", { token, json: { package: name }, headers });
const verify = ({ token }: Account, session_id: string) =>
  service.call("POST", "/api/billing/verify-checkout", { token, json: { session_id } });
const get = ({ token }: Account, path: string) => service.call("GET", path, { token });

it("a pack of credits is bought on the page of the stand-in, once", async () => {
  const { owner, join } = await newTeamClient(service);
  const { body: opened } = await buy(owner, "medium");
  const page = await fetch(opened.url);
  expect(await page.text()).toContain("2500 credits");
  expect(await verify(owner, opened.session_id)).toMatchObject({
    status: 200,
    body: { status: "pending", message: expect.any(String) },
  });
  expect((await get(owner, "/api/billing/credits/history")).body).toMatchObject({
    purchases: [{ status: "pending", completed_at: null }],
  });
  await payer.pay(opened.session_id);
  expect(await verify(owner, opened.session_id)).toMatchObject({
    status: 200,
    body: { status: "ok", type: "credit_purchase", credits_added: 2500 },
  });
  expect(await verify(owner, opened.session_id)).toMatchObject({ body: { already_fulfilled: true } });
  const viewer = await join("viewer");
  expect((await get(viewer, "/api/billing/credits")).body).toMatchObject({ purchased_credits: 2500 });
  expect((await get(viewer, "/api/billing/credits/history")).body).toEqual({
    purchases: [
      {
        id: expect.any(String),
        amount_cents: 2500,
        amount_usd: 25,
        credits_amount: 2500,
        status: "completed",
        created_at: expect.any(String),
        completed_at: expect.any(String),
      },
    ],
  });
});

it("only administrators of the team buy, and only their own team's payments are verified", async () => {
  const { owner, join, asOwner } = await newTeamClient(service);
  const { body: opened } = await buy(owner);
  await payer.pay(opened.session_id);
  for (const role of ["viewer", "editor"] as const) {
    const member = await join(role);
    expect(await buy(member)).toMatchObject({ status: 403 });
    expect(await verify(member, opened.session_id)).toMatchObject({ status: 403 });
  }
  const removed = await join("admin");
  expect((await asOwner("DELETE", `/members/${removed.id}`)).status).toBeLessThan(300);
  const stranger = await service.signUp();
  for (const other of [removed, stranger]) {
    expect(await verify(other, opened.session_id)).toMatchObject({
      status: 403,
      body: { detail: "This checkout is another team's" },
    });
  }
  const { key } = await service.newKey(owner.token);
  expect(await buy({ ...owner, token: key })).toMatchObject({ status: 401 });
});

it("a session that is unknown is refused with a sentence", async () => {
  const person = await service.signUp();
  for (const id of ["cs_test_none", "../customers/x", "cs_1/../../customers"]) {
    expect(await verify(person, id)).toMatchObject({
      status: 400,
      body: { detail: "There is no such checkout" },
    });
  }
});

it("the payer returns to the page that asked, if it is one of the service's", async () => {
  const urls = [];
  for (const headers of [
    { origin: "http://localhost:5173" },
    { referer: "http://localhost:3000/settings?x=1" },
    { origin: "https://evil.example" },
    { referer: "https://evil.example/page" },
    { origin: "tauri://localhost" },
    {},
  ]) {
    const person = await service.signUp();
    const { body } = await buy(person, "small", headers);
    const session = (await payer.list("objects/checkout.session")).find(({ id }) => id === body.session_id);
    urls.push(new URL(String(session?.["success_url"])).origin);
  }
  const own = new URL(service.url).origin;
  expect(urls).toEqual(["http://localhost:5173", "http://localhost:3000", own, own, own, own]);
});

it("prices are there for all", async () => {
  const { status, body } = await service.call("GET", "/api/billing/config");
  expect({ status, body }).toEqual({
    status: 200,
    body: {
      stripe_publishable_key: service.stack.variables["STRIPE_PUBLISHABLE_KEY"],
      credit_packages: {
        small: { credits: 500, price_cents: 500 },
        medium: { credits: 2_500, price_cents: 2_500 },
        large: { credits: 10_000, price_cents: 10_000 },
        team: { credits: 50_000, price_cents: 50_000 },
      },
      deploy_price: 1_000,
      tiers: {
        free: tier(0, 1, 0, { daily_credits: 5, support_tier: "community" }),
        basic: tier(2_000, 3, 500, { support_tier: "email" }),
        pro: tier(4_900, 5, 2_000, { byok_enabled: true }),
        ultra: tier(14_900, 20, 8_000, { byok_enabled: true }),
      },
      signup_bonus_credits: 15_000,
      signup_bonus_expiry_days: 60,
      low_balance_threshold: 0.2,
      daily_reset_timezone: "UTC",
    },
  });
});

function tier(price_cents: number, max_deploys: number, bundled_credits: number, more: object) {
  const common = { max_projects: 999_999, daily_credits: 0, byok_enabled: false, support_tier: "priority" };
  return { price_cents, max_deploys, bundled_credits, ...common, ...more };
}
