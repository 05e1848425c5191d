import { afterAll, beforeAll, expect, it, vi } from "vitest";
import type { Account } from "#test/support/api-client.ts";
import { askInTurn, FORM } from "#test/support/asking-server.ts";
import { newChatClient } from "#test/support/chat-client.ts";
import { newMcpOwner } from "#test/support/mcp-servers.ts";
import { plainTool, startMcpStub, type McpStub } from "#test/support/mcp-stub.ts";
import { otherSharedService, type SharedService } from "#test/support/shared-service.ts";
import { call, script } from "#test/support/task-client.ts";
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
    await expectPage(page.getByText("Token (hidden)")).toBeVisible();
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

  it("of a project's .mcp.json is allowed, and is asked about again when it has changed", async () => {
    const owner = await service.signUp();
    const project = await service.newProject(owner.token);
    const write = (args: string[]) =>
      service.call("PUT", `/api/projects/${project.id}/files/.mcp.json`, {
        token: owner.token,
        json: { content: JSON.stringify({ mcpServers: { own: { command: "node", args } } }) },
      });
    await write(["a.mjs", HOSTILE, "b   c", "${TOKEN}"]);
    const { page } = await openPage(service, { account: owner, path: "/mcp-servers" });
    await page.getByRole("link", { name: "stdio servers" }).click();
    await page.getByLabel("Project", { exact: true }).selectOption({ value: project.id });
    await expectPage(page.getByText(`node a.mjs "${HOSTILE}" "b \\u0020\\u0020c" \${TOKEN}`)).toBeVisible();
    await expectPage(page.getByText("Is given the project's values of: TOKEN")).toBeVisible();
    await expectPage(page.getByText("Not allowed yet")).toBeVisible();
    await expectPage(page.getByLabel("Notes")).toContainText("No programs run in projects here");
    await expectAccessible(page);
    await page.getByRole("button", { name: "Allow own" }).click();
    await expectPage(page.getByRole("heading", { name: "own", exact: true })).toBeVisible();
    await expectPage(page.getByText("No programs run in projects here, so it is not started")).toBeVisible();
    await write(["b.mjs"]);
    const again = await openPage(service, { account: owner, path: "/mcp-servers/stdio" });
    await again.page.getByLabel("Project", { exact: true }).selectOption({ value: project.id });
    await expectPage(again.page.getByText("Changed", { exact: true })).toBeVisible();
    await write(["c.mjs"]);
    await again.page.getByRole("button", { name: "Allow own" }).click();
    await expectPage(again.page.getByText("node c.mjs")).toBeVisible();
    await expectPage(again.page.getByRole("alert")).toBeVisible();
  });

  it("that cannot be used says why", async () => {
    const own = newMcpOwner(service, account.token);
    // Below 1024, where no test is given a port.
    const url = "http://127.0.0.1:2/mcp";
    const { id } = await own.add({ name: "gone", url, tools: { deny: ["a*"] } });
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

  it("asks a person by a form, whose answers are its, and shows an address whole", async () => {
    const asking = await startMcpStub([plainTool("deploy")]);
    const project = await service.newProject(account.token);
    await newMcpOwner(service, account.token).add({ name: "asking", url: asking.url });
    const url = "https://id.example.com/sign-in?for=deploy";
    askInTurn(asking, [
      { ...FORM, message: `${HOSTILE} where?` },
      { mode: "url", message: "Sign in there", url },
    ]);
    const message = script({ tools: [call("mcp__asking__deploy", {})] }, { text: "Deployed." });
    const chat = await newChatClient(service, { account, projectId: project.id });
    const stream = await chat.send(message, { edit_mode: "allow" });
    const { page } = await openPage(service, {
      account,
      path: `/projects/${project.id}/chats/${stream.chatId}`,
    });
    const card = page.getByLabel("A server asks");
    await expectPage(card).toContainText("The MCP server asking asks");
    await expectPage(card).toContainText(`${HOSTILE} where?`);
    await expectPage(card).toContainText("Never give passwords");
    await expectAccessible(page);
    await card.getByLabel("Region").fill("eu-1");
    await expectPage(card.getByLabel("replicas (optional)")).toHaveValue("2");
    await card.getByLabel("Public").check();
    await card.getByLabel("size (optional)").selectOption({ label: "Large" });
    await card.getByRole("button", { name: "Send answers" }).click();
    await expectPage(card.getByRole("link")).toHaveAttribute("href", url);
    await expectPage(card).toContainText("an address at id.example.com");
    await card.getByRole("button", { name: "I have done it" }).click();
    await expectPage(page.getByRole("log").getByText("Deployed.", { exact: true })).toBeVisible();
    const content = { region: "eu-1", replicas: 2, isPublic: true, size: "l" };
    const given = asking.requests.map(({ params }) => params["inputResponses"]).filter(Boolean);
    expect(given).toEqual([{ q0: { action: "accept", content } }, { q1: { action: "accept" } }]);
    await asking.close();
  });
});
