import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Account } from "#test/support/api-client.ts";
import { CHROMIUM, startChromium, type Tab } from "#test/support/chromium.ts";
import { databaseOf } from "#test/support/database.ts";
import { listAgent, listBase } from "#test/support/marketplace.ts";
import { payerOf } from "#test/support/payer.ts";
import { sharedService } from "#test/support/shared-service.ts";

const service = sharedService();
const payer = payerOf(service);
const db = databaseOf(service);

const visible = (selector: string) =>
  `(document.querySelector(${JSON.stringify(selector)})?.checkVisibility() ?? false)`;
const says = (selector: string, text: string) =>
  `(document.querySelector(${JSON.stringify(selector)})?.textContent ?? "").includes(${JSON.stringify(text)})`;

if (CHROMIUM === undefined) {
  process.stderr.write(
    "No Chromium in the PATH: the pages that payers return to are not tried in a browser.\n",
  );
}

describe.skipIf(CHROMIUM === undefined)("the pages that payers return to, in a browser", () => {
  let chromium: Awaited<ReturnType<typeof startChromium>>;
  let person: Account;
  let tab: Tab;

  beforeAll(async () => {
    chromium = await startChromium();
    person = await service.signUp();
    tab = await chromium.newTab();
  });
  afterAll(() => chromium.close());

  async function logIn() {
    await tab.until(`location.pathname === "/login" && ${visible("#password-form")}`);
    await tab.type("#username", person.email);
    await tab.type("#password", person.password);
    await tab.click("#password-form button");
  }

  async function buy(path: string, json: object = {}): Promise<string> {
    const { body } = await service.call<{ session_id: string }>("POST", path, { token: person.token, json });
    return body.session_id;
  }

  it("say what was paid, after signing in, and keep no session in the address", async () => {
    const session = await buy("/api/billing/credits/purchase", { package: "small" });
    await payer.pay(session);
    await tab.go(`${service.url}/settings/team/billing?success=true&session_id=${session}`);
    await logIn();
    await tab.until(says("#message", "your team has 500 more credits"));
    await tab.until(says("#tier", "Free"));
    expect(await tab.read("location.href")).toBe(`${service.url}/settings/team/billing`);
    expect(tab.complaints).toEqual([]);
  });

  it("say that nothing was paid, and wait for a payment that takes its time", async () => {
    await tab.go(`${service.url}/settings/team/billing?cancelled=true`);
    await tab.until(says("#message", "Nothing was paid"));
    const session = await buy("/api/billing/credits/purchase", { package: "medium" });
    await tab.go(`${service.url}/settings/team/billing?success=true&session_id=${session}`);
    await tab.until(says("#message", "Waiting for the payment"));
    await payer.pay(session);
    await tab.until(says("#message", "2500 more credits"));
    await tab.go(`${service.url}/billing?session_id=cs_test_none`);
    await tab.until(`${says("#message", "There is no such checkout")} && ${visible("#plan-step")}`);
    await tab.click("#portal");
    await tab.until(`location.origin === ${JSON.stringify(service.stack.stripeUrl)}`);
    expect(tab.complaints).toEqual([]);
  });

  it("sell an agent, by way of its own page and the provider's", async () => {
    const agent = await listAgent(db, {
      pricingType: "one_time",
      priceCents: 500,
      description: "<b>Sells</b>",
    });
    await tab.go(`${service.url}/marketplace/agent/${agent.slug}`);
    await tab.until(says("#price", "$5.00, once"));
    expect(await tab.read("document.querySelector('#description').textContent")).toBe("<b>Sells</b>");
    await tab.click("#take");
    await tab.until(`location.origin === ${JSON.stringify(service.stack.stripeUrl)}`);
    // The same wish again gets the session that is open.
    const session = await buy(`/api/marketplace/agents/${agent.id}/purchase`);
    await payer.pay(session);
    await tab.go(`${service.url}/marketplace/success?agent=${agent.slug}&session_id=${session}`);
    await tab.until(says("#message", `${agent.name} is paid. Your team can use it now.`));
    await tab.go(`${service.url}/marketplace/agent/${agent.slug}`);
    await tab.until(says("#price", "in your library"));
    expect(await tab.read(visible("#take"))).toBe(false);
  });

  it("give a free template at once", async () => {
    const base = await listBase(db);
    await tab.go(`${service.url}/marketplace/base/${base.slug}`);
    await tab.until(says("#price", "Free"));
    await tab.click("#take");
    await tab.until(`${says("#message", "Added to your library.")} && ${says("#price", "in your library")}`);
    await tab.go(`${service.url}/marketplace/base/no-such-template`);
    await tab.until(says("#message", "not found"));
    expect(await tab.read(visible("#item-step"))).toBe(false);
  });
});
