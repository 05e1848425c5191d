import { expect, it } from "vitest";
import type { Account } from "#test/support/api-client.ts";
import { billingClient } from "#test/support/billing-client.ts";
import { payerOf } from "#test/support/payer.ts";
import { sharedService } from "#test/support/shared-service.ts";
import { newTeamClient } from "#test/support/team-client.ts";

const service = sharedService();
const payer = payerOf(service);

const post = <T = { session_id: string; url: string }>(
  { token }: Account,
  path: string,
  json = {},
  headers = {},
) => service.call<T>("POST", `/api/billing/${path}`, { token, json, headers });
const buy = (by: Account, name: string) => post(by, "credits/purchase", { package: name });
const verify = (by: Account, session_id: string) => post(by, "verify-checkout", { session_id });

it("a pack of credits is bought on the page of the stand-in, once; purchases are listed page by page, newest first", async () => {
  const { owner, join } = await newTeamClient(service);
  const { body: opened } = await buy(owner, "medium");
  const page = await fetch(opened.url);
  expect(await page.text()).toContain("2500 credits");
  expect(await verify(owner, opened.session_id)).toMatchObject({
    status: 200,
    body: { status: "pending", message: expect.any(String) },
  });
  const { token } = await join("viewer");
  const get = async (path: string) => service.call("GET", `/api/billing/${path}`, { token });
  expect((await get("credits/history")).body).toMatchObject({
    purchases: [{ status: "pending", completed_at: null }],
  });
  await payer.pay(opened.session_id);
  expect(await verify(owner, opened.session_id)).toMatchObject({
    status: 200,
    body: { status: "ok", type: "credit_purchase", credits_added: 2500 },
  });
  expect(await verify(owner, opened.session_id)).toMatchObject({ body: { already_fulfilled: true } });
  expect((await get("credits")).body).toMatchObject({ purchased_credits: 2500 });
  const medium = { amount_cents: 2500, amount_usd: 25, credits_amount: 2500, status: "completed" };
  expect((await get("credits/history")).body).toMatchObject({ purchases: [medium] });

  const { body: second } = await buy(owner, "small");
  await payer.pay(second.session_id);
  await verify(owner, second.session_id);
  for (const [path, list] of [
    ["credits/history", "purchases"],
    ["transactions", "transactions"],
  ] as const) {
    const [newest, older] = [{ amount_cents: 500 }, { amount_cents: 2500 }];
    expect((await get(path)).body).toMatchObject({ [list]: [newest, older] });
    expect((await get(`${path}?limit=1&offset=1`)).body).toMatchObject({ [list]: [older] });
  }
});

it("a place for one more deployment is bought by both addresses, and is the team's that paid", async () => {
  const { owner, asOwner } = await newTeamClient(service);
  const billing = billingClient(service, owner);
  await billing.becomes({ max_deploys: 1 });
  const first = await billing.open("deploy/purchase");
  await payer.pay(first.sessionId);
  await billing.becomes({ max_deploys: 2 });
  const path = "/api/projects/deployment/purchase-slot";
  const second = await service.call<{ session_id: string }>("POST", path, { token: owner.token });
  // The payer works in another team by the time the payment is known.
  const { body: other } = await service.call<{ slug: string }>("POST", "/api/teams", {
    token: owner.token,
    json: { name: "Elsewhere" },
  });
  await service.call("POST", `/api/teams/${other.slug}/switch`, { token: owner.token });
  await billing.becomes({ max_deploys: 1 });
  await payer.pay(second.body.session_id);
  await asOwner("POST", "/switch");
  await billing.becomes({ max_deploys: 3 });
  const slot = { type: "deploy_purchase", amount_cents: 1_000 };
  expect((await billing.call("GET", "transactions")).body).toMatchObject({ transactions: [slot, slot] });
});

it("the payer returns to the page that asked, if it is one of the service's", async () => {
  const person = await service.signUp();
  const urls = [];
  for (const [name, headers] of [
    ["small", { origin: "http://localhost:5173" }],
    ["medium", { referer: "http://localhost:3000/settings?x=1" }],
    ["large", { origin: "https://evil.example" }],
    ["team", { referer: "https://evil.example/page" }],
  ] as const) {
    const { body } = await post(person, "credits/purchase", { package: name }, headers);
    const session = (await payer.list("objects/checkout.session")).find(({ id }) => id === body.session_id);
    urls.push(new URL(String(session?.["success_url"])).origin);
  }
  const own = new URL(service.url).origin;
  expect(urls).toEqual(["http://localhost:5173", "http://localhost:3000", own, own]);
});

it("there is no usage to add: a client that asks is told that none was", async () => {
  const dates = { start_date: "2026-01-01T00:00:00Z" };
  const answer = await post<object>(await service.signUp(), "usage/sync", dates);
  expect(answer).toMatchObject({ status: 200, body: { success: true, logs_synced: 0 } });
});

it("prices are there for all", async () => {
  expect(await service.call("GET", "/api/billing/config")).toMatchObject({
    status: 200,
    body: {
      stripe_publishable_key: service.stack.variables["STRIPE_PUBLISHABLE_KEY"],
      credit_packages: { small: { credits: 500, price_cents: 500 } },
      deploy_price: 1_000,
      tiers: {
        free: { price_cents: 0, max_deploys: 1, daily_credits: 5 },
        basic: { price_cents: 2_000, max_deploys: 3, bundled_credits: 500, byok_enabled: false },
        pro: { price_cents: 4_900, byok_enabled: true },
        ultra: { price_cents: 14_900, bundled_credits: 8_000 },
      },
      signup_bonus_credits: 15_000,
    },
  });
});
