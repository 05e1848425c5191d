import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Account } from "#test/support/api-client.ts";
import { billingClient } from "#test/support/billing-client.ts";
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
/** Where the page leads on to, once it has said what became of the payment. */
const onward = `document.querySelector("#onward").pathname`;
const says = (selector: string, text: string) =>
  `(document.querySelector(${JSON.stringify(selector)})?.textContent ?? "").includes(${JSON.stringify(text)})`;
const shows = (text: string) => `document.body.innerText.includes(${JSON.stringify(text)})`;
const isAt = (url: string | undefined) => `location.origin === ${JSON.stringify(new URL(url ?? "").origin)}`;
/** The button of a form that posts to an address with this end. */
const button = (action: string) => `form[action$="/${action}"] button`;

if (CHROMIUM === undefined) {
  process.stderr.write("No Chromium in the PATH: the pages of payments are not tried in a browser.\n");
}

describe.skipIf(CHROMIUM === undefined)("in a browser", () => {
  let chromium: Awaited<ReturnType<typeof startChromium>>;
  let person: Account;
  let tab: Tab;

  beforeAll(async () => {
    chromium = await startChromium();
    person = await service.signUp();
    tab = await chromium.newTab();
  });
  afterAll(() => chromium.close());

  it("a pack is paid with a second card; who signs in on the way back reads what was paid, and the address keeps no session", async () => {
    const billing = billingClient(service, person);
    const { url } = await billing.open("credits/purchase", { package: "small" });
    await tab.go(url);
    expect(await tab.read(shows("5.00 USD"))).toBe(true);
    await tab.click(button("decline"));
    await tab.until(shows("Your card was declined."));
    await tab.click(button("pay"));
    await tab.until(`${isAt(service.url)} && location.pathname === "/login" && ${visible("#password-form")}`);
    await tab.type("#username", person.email);
    await tab.type("#password", person.password);
    await tab.click("#password-form button");
    await tab.until(says("#message", "Your team has 500 more credits"));
    await tab.until(says("#tier", "Free"));
    expect(await tab.read("location.href")).toBe(`${service.url}/settings/team/billing`);
    expect(await tab.read(onward)).toBe("/app/billing");
    expect(tab.complaints).toEqual([]);
    await tab.go(url);
    await tab.until(shows("This session is complete"));
    expect(await tab.read(`document.querySelector("button") === null`)).toBe(true);
  });

  it("the page says that nothing was paid, waits for a payment that takes its time, and leads to the portal", async () => {
    await tab.go(`${service.url}/settings/team/billing?cancelled=true`);
    await tab.until(says("#message", "Nothing was paid"));
    const { sessionId } = await billingClient(service, person).open("credits/purchase", {
      package: "medium",
    });
    await tab.go(`${service.url}/settings/team/billing?success=true&session_id=${sessionId}`);
    await tab.until(says("#message", "Waiting for the payment"));
    await payer.pay(sessionId);
    await tab.until(says("#message", "2,500 more credits"));
    await tab.go(`${service.url}/billing?session_id=cs_test_none`);
    await tab.until(`${says("#message", "There is no such checkout")} && ${visible("#plan-step")}`);
    await tab.click("#portal");
    await tab.until(isAt(service.stack.stripeUrl));
    await tab.click("a.button");
    await tab.until(isAt(service.url));
    expect(tab.complaints).toEqual([]);
  });

  it("an agent is sold by way of its own page and the provider's", async () => {
    const agent = await listAgent(db, {
      pricingType: "one_time",
      priceCents: 500,
      description: "<b>Sells</b>",
    });
    await tab.go(`${service.url}/marketplace/agent/${agent.slug}`);
    await tab.until(says("#price", "$5.00, once"));
    expect(await tab.read("document.querySelector('#description').textContent")).toBe("<b>Sells</b>");
    await tab.click("#take");
    await tab.until(isAt(service.stack.stripeUrl));
    await tab.click(button("pay"));
    await tab.until(says("#message", `Paid. ${agent.name} is in your library.`));
    expect(await tab.read(onward)).toBe("/app/marketplace/library");
    await tab.go(`${service.url}/marketplace/agent/${agent.slug}`);
    await tab.until(says("#price", "In your library"));
    expect(await tab.read(visible("#take"))).toBe(false);
  });

  it("a free template is had at once", async () => {
    const base = await listBase(db);
    await tab.go(`${service.url}/marketplace/base/${base.slug}`);
    await tab.until(says("#price", "Free"));
    await tab.click("#take");
    await tab.until(`${says("#message", "Added to your library.")} && ${says("#price", "In your library")}`);
    await tab.go(`${service.url}/marketplace/base/no-such-template`);
    await tab.until(says("#message", "not found"));
    expect(await tab.read(visible("#item-step"))).toBe(false);
  });
});
