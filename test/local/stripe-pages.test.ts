import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { plain, plan, purchase, startTestStripe, type TestStripe } from "./support/stripe.ts";

let account: TestStripe;

beforeEach(async () => {
  account = await startTestStripe();
});
afterEach(() => account.close());

async function press(url: string, fields: Record<string, string> = {}): Promise<Response> {
  return fetch(url, { method: "POST", body: new URLSearchParams(fields), redirect: "manual" });
}

async function textOf(url: string): Promise<string> {
  const response = await fetch(url);
  expect(response.status).toBe(200);
  return response.text();
}

async function newCustomer(): Promise<string> {
  return (await account.stripe.customers.create({ email: "ada@team.test" })).id;
}

describe("the checkout page", () => {
  it("shows what is bought, and leads to the service when it is paid", async () => {
    const { stripe } = account;
    const session = await stripe.checkout.sessions.create(purchase(await newCustomer()));
    const page = await textOf(session.url ?? "");
    expect(page).toContain("5.00 USD");
    expect(page).toContain("Agent &#38; co");
    expect(page).toContain('href="http://service.test/back"');
    const declined = await press(`${session.url}/decline`);
    expect(await declined.text()).toContain("Your card was declined.");
    const paid = await press(`${session.url}/pay`);
    expect(paid.status).toBe(303);
    expect(paid.headers.get("location")).toBe(`http://service.test/success?session_id=${session.id}`);
    expect(await stripe.checkout.sessions.retrieve(session.id)).toMatchObject({ payment_status: "paid" });
    expect((await press(`${session.url}/pay`)).headers.get("location")).toBe(`/checkout/${session.id}`);
    expect(await textOf(session.url ?? "")).toContain("This session is complete");
  });

  it("has a payment that comes later", async () => {
    const session = await account.stripe.checkout.sessions.create(plan(await newCustomer()));
    expect(await textOf(session.url ?? "")).toMatch(/Subscribe\s+20\.00 USD/u);
    await press(`${session.url}/later`);
    const promised = await account.stripe.checkout.sessions.retrieve(session.id, {
      expand: ["subscription"],
    });
    expect(promised).toMatchObject({ payment_status: "unpaid", subscription: { status: "incomplete" } });
    await account.control(`sessions/${session.id}/fail`);
    const failed = await account.stripe.checkout.sessions.retrieve(session.id, { expand: ["subscription"] });
    expect(failed).toMatchObject({
      payment_status: "unpaid",
      subscription: { status: "incomplete_expired" },
    });
  });

  it("cannot be pressed by a page of another site", async () => {
    const session = await account.stripe.checkout.sessions.create(purchase(await newCustomer()));
    const forged = { method: "POST", headers: { origin: "http://evil.test" } };
    expect((await fetch(`${session.url}/pay`, forged)).status).toBe(403);
    expect((await fetch(`${account.server.url}/_standin/webhooks/hold`, forged)).status).toBe(403);
    expect(await account.stripe.checkout.sessions.retrieve(session.id)).toMatchObject({ status: "open" });
  });
});

describe("the portal", () => {
  it("changes the plan, cancels at the end of the period and resumes", async () => {
    const { stripe } = account;
    const customer = await newCustomer();
    const session = await stripe.checkout.sessions.create(plan(customer));
    await account.control(`sessions/${session.id}/pay`);
    const { subscription } = await stripe.checkout.sessions.retrieve(session.id);
    const id = plain(subscription);
    const portal = await stripe.billingPortal.sessions.create({
      customer,
      return_url: "http://service.test/b",
    });
    expect(await textOf(portal.url)).toContain("Change to Pro");
    expect(await textOf(portal.url)).toContain('href="http://service.test/b"');

    await press(`${portal.url}/plan`, { subscription: id, price: "price_pro" });
    await press(`${portal.url}/cancel`, { subscription: id });
    expect(await stripe.subscriptions.retrieve(id)).toMatchObject({
      items: { data: [{ price: { id: "price_pro" } }] },
      cancel_at: expect.any(Number),
      cancel_at_period_end: false,
      status: "active",
    });
    expect(await textOf(portal.url)).toContain("Resume");
    await press(`${portal.url}/resume`, { subscription: id });
    await press(`${portal.url}/card`, { card: "fails" });
    expect(await stripe.subscriptions.retrieve(id)).toMatchObject({ cancel_at: null, canceled_at: null });
    expect(await textOf(portal.url)).toContain("The card on file is declined.");
  });

  it("shows nothing of another customer, and ends after an hour", async () => {
    const { stripe } = account;
    const session = await stripe.checkout.sessions.create(plan(await newCustomer()));
    await account.control(`sessions/${session.id}/pay`);
    const { subscription } = await stripe.checkout.sessions.retrieve(session.id);
    const portal = await stripe.billingPortal.sessions.create({ customer: await newCustomer() });
    expect(await textOf(portal.url)).toContain("There are no subscriptions.");
    await press(`${portal.url}/cancel`, { subscription: plain(subscription) });
    expect(await stripe.subscriptions.retrieve(plain(subscription))).toMatchObject({ cancel_at: null });
    account.pass(3_600);
    expect((await fetch(portal.url)).status).toBe(404);
  });
});

describe("an account link", () => {
  it("leads to the page for five minutes, and then back for another link", async () => {
    const { stripe } = account;
    const seller = await stripe.accounts.create({
      type: "express",
      capabilities: { transfers: { requested: true } },
    });
    const link = await stripe.accountLinks.create({
      account: seller.id,
      type: "account_onboarding",
      refresh_url: "http://service.test/again",
      return_url: "http://service.test/done",
    });
    expect(await textOf(link.url)).toContain(seller.id);
    await press(`${link.url}/fail`);
    expect(await stripe.accounts.retrieve(seller.id)).toMatchObject({
      details_submitted: true,
      payouts_enabled: false,
      capabilities: { transfers: "inactive" },
    });
    account.pass(300);
    const late = await fetch(link.url, { redirect: "manual" });
    expect(late.headers.get("location")).toBe("http://service.test/again");
  });
});

it("the dashboard shows the account's objects, and has things happen to them", async () => {
  const { stripe, server } = account;
  const session = await stripe.checkout.sessions.create(plan(await newCustomer()));
  await account.control(`sessions/${session.id}/pay`);
  const [charge] = await account.list("objects/charge");
  const page = await textOf(server.url);
  for (const shown of [session.id, String(charge?.["id"]), "A period later", "Send again", "invoice.paid"]) {
    expect(page).toContain(shown);
  }
  const refund = await press(`${server.url}/_standin/charges/${String(charge?.["id"])}/refund`, {
    _back: "/",
  });
  expect([refund.status, refund.headers.get("location")]).toEqual([303, "/"]);
  expect(await textOf(server.url)).toContain("20.00 USD refunded");
});
