import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { transactions, users } from "#src/db/schema/index.ts";
import type { Account } from "#test/support/api-client.ts";
import { billingClient, PATIENCE } from "#test/support/billing-client.ts";
import { CHROMIUM, startChromium, type Tab } from "#test/support/chromium.ts";
import { databaseOf } from "#test/support/database.ts";
import { ownKeysOf } from "#test/support/own-keys.ts";
import { payerOf } from "#test/support/payer.ts";
import { sharedService } from "#test/support/shared-service.ts";
import { newTeamClient } from "#test/support/team-client.ts";

const service = sharedService();
const payer = payerOf(service);
const db = databaseOf(service);
const keys = ownKeysOf(service);

if (CHROMIUM === undefined) {
  process.stderr.write("No Chromium in the PATH: the pages of payments are not tried in a browser.\n");
}

/** The button of a form that posts to an address with this end, and with this field if one is named. */
const button = (action: string, value?: string) =>
  `form[action$="/${action}"]${value === undefined ? "" : `:has(input[value="${value}"])`} button`;
const shows = (text: string) => `document.body.innerText.includes(${JSON.stringify(text)})`;
/** The page that payers return to asks strangers to sign in, and remembers where they came from. */
const isBack = `location.origin === ${JSON.stringify(new URL(service.url).origin)} && location.pathname === "/login"`;

describe.skipIf(CHROMIUM === undefined)("in a browser", () => {
  let chromium: Awaited<ReturnType<typeof startChromium>>;
  beforeAll(async () => {
    chromium = await startChromium();
  });
  afterAll(async () => {
    await chromium.close();
  });

  async function opened(url: string): Promise<Tab> {
    const tab = await chromium.newTab();
    await tab.go(url);
    return tab;
  }

  /** Pays on the page of a checkout, and comes back to the service. */
  async function pay(url: string): Promise<Tab> {
    const tab = await opened(url);
    await tab.click(button("pay"));
    await tab.until(isBack);
    return tab;
  }

  it("a pack of credits is paid with a second card, after the first one was declined", async () => {
    const { owner } = await newTeamClient(service);
    const billing = billingClient(service, owner);
    const { url, sessionId } = await billing.open("credits/purchase", { package: "small" });
    const tab = await opened(url);
    expect(await tab.read(shows("5.00 USD"))).toBe(true);
    await tab.click(button("decline"));
    await tab.until(shows("Your card was declined."));
    await billing.becomes({ purchased_credits: 0 });
    await tab.click(button("pay"));
    await tab.until(isBack);
    expect(await tab.read(`sessionStorage.getItem("account.next")`)).toContain(sessionId);
    await billing.becomes({ purchased_credits: 500 });
    await tab.go(url);
    await tab.until(shows("This session is complete"));
    expect(await tab.read(`document.querySelector("button") === null`)).toBe(true);
  });

  it("a pack that is refunded in the dashboard takes its credits back", async () => {
    const { owner } = await newTeamClient(service);
    const billing = billingClient(service, owner);
    const { url } = await billing.open("credits/purchase", { package: "small" });
    await pay(url);
    await billing.becomes({ purchased_credits: 500 });
    const [paid] = await db.select().from(transactions).where(eq(transactions.userId, owner.id));
    const refund = button(`charges/${paid?.chargeId}/refund`);
    const dashboard = await opened(service.stack.stripeUrl ?? "");
    await dashboard.click(refund);
    await dashboard.until(
      `location.pathname === "/" && document.querySelector(${JSON.stringify(refund)}) === null`,
    );
    await billing.becomes({ purchased_credits: 0 });
    expect((await billing.call("GET", "credits/history")).body).toMatchObject({
      purchases: [{ status: "refunded", credits_amount: 500 }],
    });
    expect(dashboard.complaints).toEqual([]);
  });

  it("Pro is subscribed to, then an own model key is stored, and the plan is changed in the portal", async () => {
    const { owner } = await newTeamClient(service);
    const billing = billingClient(service, owner);
    expect(await keys.store(owner.token, {})).toMatchObject({ status: 403 });
    const { url } = await billing.open("subscribe", { tier: "pro" });
    await pay(url);
    await billing.becomes({ tier: "pro", byok_enabled: true, bundled_credits: 2_000 });
    expect((await keys.store(owner.token, {})).status).toBeLessThan(300);

    const { body } = await billing.call<{ url: string }>("GET", "portal");
    const portal = await opened(body.url);
    await portal.click(button("plan", service.stack.variables["STRIPE_ULTRA_PRICE_ID"]));
    await billing.becomes({ tier: "ultra", bundled_credits: 8_000 });
    await portal.click(button("cancel"));
    await portal.until(shows("Resume"));
    await billing.becomes({ tier: "ultra", cancel_at_period_end: true, cancel_at: expect.any(String) });
    await portal.click(button("resume"));
    await billing.becomes({ tier: "ultra", cancel_at_period_end: false, cancel_at: null });
    await portal.click("a.button");
    await portal.until(isBack);
  });

  it("a creator introduces themself, publishes, sells, and gets the share once", async () => {
    const [seller, { owner }] = [await service.signUp("seller"), await newTeamClient(service)];
    const earns = billingClient(service, seller);
    const { body: link } = await earns.call<{ url: string }>("POST", "connect");
    const onboarding = await opened(link.url);
    await onboarding.click(button("finish"));
    await onboarding.until(isBack);
    const agentId = await publish(seller);

    const { body: sale } = await service.call<{ checkout_url: string; session_id: string }>(
      "POST",
      `/api/marketplace/agents/${agentId}/purchase`,
      { token: owner.token },
    );
    await pay(sale.checkout_url);
    const [creator] = await db.select().from(users).where(eq(users.id, seller.id));
    const transfers = async () =>
      (await payer.list("objects/transfer")).filter(
        ({ destination }) => destination === creator?.stripeAccountId,
      );
    await vi.waitFor(async () => {
      expect(await transfers()).toMatchObject([{ amount: 450, currency: "usd" }]);
      expect((await earns.call("GET", "earnings")).body).toMatchObject({
        total_revenue_cents: 450,
        pending_revenue_cents: 0,
        paid_revenue_cents: 450,
        by_agent: { [agentId]: { requests: 1, revenue: 450 } },
      });
    }, PATIENCE);
    // Who returns late has the payment looked at once more.
    expect(
      await service.call("POST", "/api/marketplace/verify-purchase", {
        token: owner.token,
        json: { session_id: sale.session_id },
      }),
    ).toMatchObject({ status: 200, body: { agent_id: agentId } });
    expect(await transfers()).toHaveLength(1);
  });
});

/** An agent of a person, for 5 dollars. */
async function publish({ token }: Account): Promise<string> {
  const json = { name: "Reviewer", description: "Reviews code", system_prompt: "Review." };
  const { body } = await service.call<{ agent_id: string }>("POST", "/api/marketplace/agents/create", {
    token,
    json,
  });
  const listed = await service.call("POST", `/api/marketplace/agents/${body.agent_id}/publish`, {
    token,
    json: { pricing_type: "one_time", price: 5 },
  });
  if (listed.status !== 200) throw new Error(`Not published: ${listed.text}`);
  return body.agent_id;
}
