import type { Page, WebSocketRoute } from "@playwright/test";
import { expect, it } from "vitest";
import { sharedService } from "#test/support/shared-service.ts";
import { describeConsole, openPage } from "./support/console.ts";
import { expectPage } from "./support/open-console.ts";

const service = sharedService();

const LAST = "flat/dir200/part35.txt";

function entry(path: string, isDirectory = false): object {
  const name = path.slice(path.lastIndexOf("/") + 1);
  return { path, name, is_dir: isDirectory, size: 0, mod_time: 0 };
}

function numbers(from: number, count: number): number[] {
  return Array.from({ length: count }, (_, index) => from + index);
}

/** Half of them in one directory, the others in a hundred below it, as the service would list them. */
const FILES = [
  entry("flat", true),
  ...numbers(1_001, 2_500).map((number) => entry(`flat/file${number}.txt`)),
  ...numbers(101, 100).flatMap((directory) => [
    entry(`flat/dir${directory}`, true),
    ...numbers(11, 25).map((number) => entry(`flat/dir${directory}/part${number}.txt`)),
  ]),
];

/** So much time the page leaves between two readings of the tree. */
const TREE_MS = 4_000;

/** What the page shows at once. */
async function expectFewElements(page: Page): Promise<void> {
  expect(await page.evaluate<number>("document.querySelectorAll('*').length")).toBeLessThan(1_000);
}

describeConsole("a project of 5,000 files", () => {
  it("is walked through to its last file while files change all the time", async () => {
    const account = await service.signUp();
    const { token } = account;
    const { id: project } = await service.newProject(token);
    const query = new URLSearchParams({ path: LAST }).toString();
    await service.call("PUT", `/api/projects/${project}/files/raw?${query}`, { token, body: "the last" });
    const { page } = await openPage(service, { account, path: null });
    let reads = 0;
    await page.route("**/files/tree*", (route) => {
      reads += 1;
      return route.fulfill({ json: { status: "ready", files: FILES } });
    });
    let socket: WebSocketRoute | undefined;
    await page.routeWebSocket("**/ws/**", (route) => {
      route.connectToServer();
      socket = route;
    });
    await page.goto(`/app/projects/${project}/files`);
    const row = (name: string) => page.getByRole("treeitem", { name, exact: true });
    await expectPage(row("flat")).toBeVisible();
    await expectPage(() => expect(socket).toBeDefined()).toPass();

    const begun = Date.now();
    const before = reads;
    const paths = ["flat/file1001.txt"];
    const notices = setInterval(() => socket?.send(JSON.stringify({ type: "files_changed", paths })), 20);
    try {
      await row("flat").click();
      await expectPage(row("dir101")).toBeVisible();
      await expectFewElements(page);
      // By keyboard: to the end, and back to what begins with these letters.
      await row("dir101").focus();
      await page.keyboard.press("End");
      await expectPage(row("file3500.txt")).toBeFocused();
      await expectPage(row("file3500.txt")).toBeInViewport();
      await expectPage(row("file3500.txt")).toHaveAttribute("aria-posinset", "2600");
      await expectFewElements(page);
      await page.keyboard.press("Home");
      await expectPage(row("flat")).toBeFocused();
      // By wheel.
      const side = page.getByLabel("Tree of files");
      await side.hover();
      for (let turns = 0; turns < 4; turns += 1) await page.mouse.wheel(0, 20_000); // oxlint-disable-line no-await-in-loop
      await expectPage(row("file3500.txt")).toBeInViewport();
      await expectFewElements(page);
      await page.keyboard.press("Control+p");
      await expectPage(page.getByRole("combobox", { name: "Open a file by its name" })).toBeFocused();
      await page.keyboard.type("dir200/part35");
      await expectPage(page.getByRole("option", { name: LAST })).toHaveAttribute("data-highlighted", "");
      await page.keyboard.press("Enter");
      await expectPage(page.locator(".cm-content")).toBeFocused();
      await expectPage(page.locator(".cm-content")).toHaveText("the last");
      await expectPage(row("part35.txt")).toBeInViewport();
      await expectPage(row("part35.txt")).toHaveAttribute("aria-selected", "true");
      await expectFewElements(page);
      // However long that took: the first notice, and then one reading in each interval.
      await expectPage(() => expect(reads - before).toBeGreaterThan(1)).toPass();
    } finally {
      clearInterval(notices);
    }
    expect(reads - before).toBeLessThanOrEqual(1 + Math.ceil((Date.now() - begun) / TREE_MS));
  });
});
