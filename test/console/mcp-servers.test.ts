import { afterAll, beforeAll, expect, it, vi } from "vitest";
import type { Account } from "#test/support/api-client.ts";
import { newMcpOwner } from "#test/support/mcp-servers.ts";
import { plainTool, startMcpStub, type McpStub } from "#test/support/mcp-stub.ts";
import { otherSharedService, type SharedService } from "#test/support/shared-service.ts";
import { expectAccessible } from "./support/accessible.ts";
import { describeConsole, openPage } from "./support/console.ts";
import { expectPage } from "./support/open-console.ts";

const HOSTILE = "<img src=x onerror=alert(1)>";

describeConsole("an MCP server", () => {
  let service: SharedService;
  let stub: McpStub;
  let account: Account;
  beforeAll(async () => {
    service = await otherSharedService("eager");
    stub = await startMcpStub([plainTool("look_up", { description: HOSTILE }), plainTool("remove")]);
    account = await service.signUp();
  });
  afterAll(() => stub.close());

  it("is added, its tools are switched, a change is accepted, and it is deleted", async () => {
    const own = newMcpOwner(service, account.token);
    const { page } = await openPage(service, { account, path: "/mcp-servers" });
    await page.getByRole("link", { name: "Add server" }).click();
    await page.getByLabel("Name").fill("tracker");
    await page.getByLabel("Address").fill(stub.url);
    await page.getByLabel("Token").fill("tracker-secret");
    await expectAccessible(page);
    await page.getByRole("button", { name: "Add server" }).click();

    await expectPage(page.getByRole("heading", { name: "tracker", exact: true })).toBeVisible();
    await expectPage(page.getByText("Connected")).toBeVisible();
    await expectPage(page.getByText("token (hidden)")).toBeVisible();
    await expectPage(page.getByText(HOSTILE)).toBeVisible();
    await page.getByLabel("Calls of look_up").selectOption("allow");
    // The page lets nobody change something else until a change is stored and shown.
    const isStored = async (tools: object, next: string) => {
      await vi.waitFor(async () => expect(await own.list()).toMatchObject([{ tools }]));
      await expectPage(page.getByLabel(next)).toBeEnabled();
    };
    await isStored({ allow: ["look_up"] }, "Calls of remove");
    await page.getByLabel("Calls of remove").selectOption("deny");
    await isStored({ deny: ["remove"] }, "look_up only reads");
    await page.getByLabel("look_up only reads").click();
    await expectPage(page.getByLabel("look_up only reads")).toBeChecked();
    const rules = { allow: ["look_up"], deny: ["remove"], ask: [], read_only: ["look_up"] };
    await isStored(rules, "Calls of remove");

    stub.tools = [plainTool("look_up", { description: "Something else" }), plainTool("remove")];
    await page.getByRole("button", { name: "Test connection" }).click();
    await expectPage(page.getByText("Changed", { exact: true })).toBeVisible();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Accept change of look_up" }).click();
    await expectPage(page.getByText("Changed", { exact: true })).toBeHidden();
    await expectPage(page.getByText("Something else")).toBeVisible();

    await page.getByRole("button", { name: "Delete server…" }).click();
    await page.getByRole("button", { name: "Delete server", exact: true }).click();
    await expectPage(page.getByText("No MCP servers yet")).toBeVisible();
  });

  it("that cannot be used says why", async () => {
    const own = newMcpOwner(service, account.token);
    const gone = await startMcpStub();
    await gone.close();
    const { id } = await own.add({ name: "gone", url: gone.url, tools: { deny: ["a*"] } });
    const { page } = await openPage(service, {
      account,
      width: 390,
      scheme: "dark",
      path: `/mcp-servers/${id}`,
    });
    await expectPage(page.getByText("Unreachable")).toBeVisible();
    await expectPage(page.getByText("The server could not be reached")).toBeVisible();
    await expectAccessible(page);
  });
});
