import { expect, it } from "vitest";
import { databaseOf } from "#test/support/database.ts";
import { newDeployer } from "#test/support/deployer.ts";
import { listAgent } from "#test/support/marketplace.ts";
import { payerOf } from "#test/support/payer.ts";
import { sharedService } from "#test/support/shared-service.ts";
import { expectAccessible, goTo } from "./support/accessible.ts";
import { describeConsole, openPage } from "./support/console.ts";
import { expectPage } from "./support/open-console.ts";

const service = sharedService();

describeConsole("a deployment", () => {
  it("is made with a token that is typed once, and followed to its site", async () => {
    const account = await newDeployer(service);
    const { id } = await account.newProject({ "index.html": "<h1>Garden</h1>" });
    for (const name of ["front", "back"]) {
      const made = await account.call("POST", `/api/projects/${id}/containers`, {
        name,
        project_id: id,
        directory: ".",
      });
      expect(made.status).toBeLessThan(300);
    }
    const { page } = await openPage(service, { account, path: "/deployments" });
    await expectPage(page.getByRole("heading", { name: "No tokens yet" })).toBeVisible();
    await page.getByText("Add a token", { exact: true }).click();
    await page.getByLabel("Provider", { exact: true }).selectOption("netlify");
    await page.getByLabel("Token", { exact: true }).fill(account.hostingToken);
    await page.getByRole("button", { name: "Add token" }).click();
    await page.getByRole("button", { name: "Test Netlify" }).click();
    await expectPage(page.getByText("Valid, for the account")).toBeVisible();
    await expectPage(page.locator("main")).not.toContainText(account.hostingToken);

    await page.getByRole("link", { name: "Deploy a project" }).click();
    await page.getByLabel("Project", { exact: true }).selectOption({ index: 1 });
    await page.getByText("More options", { exact: true }).click();
    await page.getByLabel("Container", { exact: true }).selectOption("back");
    await page.getByLabel("Variables", { exact: true }).fill("no variable");
    await page.getByRole("button", { name: "Deploy", exact: true }).click();
    await expectPage(page.getByRole("alert")).toContainText("NAME=value");
    await page.getByLabel("Variables", { exact: true }).fill("GREETING=hello=you\nEMPTY=");
    await expectAccessible(page);
    const request = page.waitForRequest(
      (sent) => sent.method() === "POST" && sent.url().endsWith("/api/deployments"),
    );
    await page.getByRole("button", { name: "Deploy", exact: true }).click();
    expect((await request).postDataJSON()).toMatchObject({
      container_id: expect.any(String),
      env_vars: { GREETING: "hello=you", EMPTY: "" },
    });
    await expectPage(page.getByRole("heading", { name: "Deployment 1", exact: true })).toBeVisible();
    await expectPage(page.getByRole("link", { name: "Open site" })).toBeVisible();
    await expectPage(page.getByRole("region", { name: "Log" })).toContainText("Published at");
    await expectPage(page.getByRole("button", { name: "Cancel" })).toHaveCount(0);
    await page.getByRole("button", { name: "Redeploy" }).click();
    await expectPage(page.getByRole("heading", { name: "Deployment 2", exact: true })).toBeVisible();
  });
});

describeConsole("what a team buys and takes", () => {
  it("is offered to its administrator", async () => {
    const owner = await service.signUp();
    const { page } = await openPage(service, {
      account: owner,
      width: 390,
      scheme: "dark",
      path: "/marketplace",
    });
    await page.getByRole("main").getByLabel("Search").fill("librarian");
    await page.getByRole("main").getByRole("button", { name: "Search" }).click();
    await page.getByRole("link", { name: "Librarian" }).click();
    await page.getByRole("button", { name: "Add to library" }).click();
    await expectPage(page.getByText("In your library.")).toBeVisible();
    await page.getByLabel("Your review").fill("<b>Fine</b>");
    await page.getByRole("button", { name: "Save review" }).click();
    await expectPage(page.getByRole("region", { name: "Reviews" })).toContainText("<b>Fine</b>");
    await expectAccessible(page);
    await page.getByRole("main").getByRole("link", { name: "Marketplace" }).click();
    await page.getByRole("link", { name: "My library" }).click();
    await expectPage(page.getByRole("button", { name: "Turn Librarian off" })).toBeVisible();
    const agent = await listAgent(databaseOf(service), { pricingType: "monthly", priceCents: 500 });
    const { body: sale } = await service.call<{ session_id: string }>(
      "POST",
      `/api/marketplace/agents/${agent.id}/purchase`,
      owner,
    );
    await payerOf(service).pay(sale.session_id);
    const { session_id } = sale;
    await service.call("POST", "/api/marketplace/verify-purchase", { ...owner, json: { session_id } });
    await page.reload();
    await page.getByRole("button", { name: `Cancel ${agent.name}…` }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Cancel subscription" }).click();
    await expectPage(page.getByLabel("Subscriptions")).toContainText("ends");
    await page.getByRole("button", { name: `Resume ${agent.name}` }).click();
    await expectPage(page.getByLabel("Subscriptions")).toContainText("renews");
    await goTo(page, "/billing");
    const plans = page.getByRole("region", { name: "Plans" });
    await expectPage(plans.getByRole("heading", { level: 3 })).toHaveText([
      "Free Current plan",
      "Basic",
      "Pro",
      "Ultra",
    ]);
    await expectPage(plans.getByText("project", { exact: false }).first()).toBeVisible();
    const asked: unknown[] = [];
    await page.route("**/api/billing/subscribe", (route) => {
      asked.push(route.request().postDataJSON());
      return route.fulfill({ json: { session_id: "none", url: "/app/usage" } });
    });
    await page.getByLabel("Pay yearly").check();
    await page.getByRole("button", { name: "Subscribe to Pro" }).click();
    await page.waitForURL("**/app/usage");
    expect(asked).toEqual([{ tier: "pro", billing_interval: "annual" }]);
  });
});
