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
    await page.getByText("Enter a token", { exact: true }).click();
    await page.getByLabel("Provider of the token").selectOption("netlify");
    await page.getByLabel("Token (").fill(account.hostingToken);
    await page.getByRole("button", { name: "Store the token" }).click();
    await page.getByRole("button", { name: "Test netlify" }).click();
    await expectPage(page.getByText("It is the account")).toBeVisible();
    await expectPage(page.locator("main")).not.toContainText(account.hostingToken);

    await page.getByRole("link", { name: "Deploy a project" }).click();
    await page.getByLabel("Project", { exact: true }).selectOption({ index: 1 });
    await page.getByText("More", { exact: true }).click();
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
    await expectPage(page.getByRole("heading", { name: "Deployment, version 1" })).toBeVisible();
    await expectPage(page.getByRole("link", { name: "Open the site" })).toBeVisible();
    await expectPage(page.getByRole("region", { name: "Log" })).toContainText("Published at");
    await expectPage(page.getByRole("button", { name: "Cancel" })).toHaveCount(0);
    await page.getByRole("button", { name: "Publish these files again" }).click();
    await expectPage(page.getByRole("heading", { name: "Deployment, version 2" })).toBeVisible();
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
    await page.getByLabel("Search").fill("librarian");
    await page.getByRole("button", { name: "Search" }).click();
    await page.getByRole("link", { name: "Librarian" }).click();
    await page.getByRole("button", { name: "Add to the library" }).click();
    await expectPage(page.getByText("Your team has it.")).toBeVisible();
    await page.getByLabel("What others should know").fill("<b>Fine</b>");
    await page.getByRole("button", { name: "Save the review" }).click();
    await expectPage(page.getByRole("region", { name: "Reviews" })).toContainText("<b>Fine</b>");
    await expectAccessible(page);
    await page.getByRole("link", { name: "My library" }).click();
    await expectPage(page.getByRole("button", { name: "Switch Librarian off" })).toBeVisible();
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
    await page.getByRole("button", { name: `Stop paying for ${agent.name} …` }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Stop paying" }).click();
    await expectPage(page.getByLabel("Paid every month")).toContainText("ends");
    await page.getByRole("button", { name: `Go on paying for ${agent.name}` }).click();
    await expectPage(page.getByLabel("Paid every month")).toContainText("is paid again");
    await goTo(page, "/billing");
    const asked: unknown[] = [];
    await page.route("**/api/billing/subscribe", (route) => {
      asked.push(route.request().postDataJSON());
      return route.fulfill({ json: { session_id: "none", url: "/app/usage" } });
    });
    await page.getByLabel("Paid once a year").check();
    await page.getByRole("button", { name: "Subscribe to pro" }).click();
    await page.waitForURL("**/app/usage");
    expect(asked).toEqual([{ tier: "pro", billing_interval: "annual" }]);
  });
});
