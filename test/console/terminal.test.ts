import type { Page, WebSocketRoute } from "@playwright/test";
import { beforeAll, expect, it } from "vitest";
import type { Account } from "#test/support/api-client.ts";
import { sharedService } from "#test/support/shared-service.ts";
import { expectAccessible } from "./support/accessible.ts";
import { pressOn } from "./support/keyboard.ts";
import { describeConsole, openPage } from "./support/console.ts";
import { expectPage, type OpenOptions } from "./support/open-console.ts";

const service = sharedService();

/** The lines of the screen that have this text. */
const linesOf = (page: Page, text: string) => page.locator(".xterm-rows > div", { hasText: text });

/** What `printf` makes a link of. */
const link = (address: string, words: string) => `\\033]8;;${address}\\033\\\\${words}\\033]8;;\\033\\\\\\n`;

describeConsole("a terminal", () => {
  let account: Account;
  let project: { id: string; slug: string };
  let path: string;
  beforeAll(async () => {
    account = await service.signUp();
    project = await service.newProject(account.token);
    path = `/projects/${project.slug}/terminal`;
  });
  /** A page with a terminal that is connected. */
  async function openTerminal(options: OpenOptions = {}): Promise<Page> {
    await service.call("POST", `/api/projects/${project.id}/start`, account);
    const { page } = await openPage(service, { account, path, ...options });
    await expectPage(page.getByText("Connected.")).toBeVisible();
    return page;
  }

  it("is used by keyboard alone, and shows all of it once after a reload", async () => {
    const { page } = await openPage(service, { account, path });
    await expectPage(page.getByRole("button", { name: "Start" })).toBeVisible();
    await pressOn(page, "Start");
    // The first one opens by itself.
    await expectPage(page.getByText("Connected.")).toBeVisible();
    await page.keyboard.type("printf 'one-%s \\033[38;2;200;30;30mred\\033[0m\\n' $((40 + 2))\n");
    await expectPage(linesOf(page, "one-42 red")).toHaveCount(1);
    const styles = await page.evaluate<string[]>(
      "[getComputedStyle(document.querySelector('.xterm-rows')).color, [...document.querySelectorAll('.xterm-rows span')].find((each) => each.textContent === 'red')?.style.color ?? '', getComputedStyle(document.querySelector('.session .screen')).color]",
    );
    expect(styles[0]).toBe(styles[2]);
    expect(styles[1]).toMatch(/^rgb/u);

    const sockets: WebSocketRoute[] = [];
    await page.routeWebSocket("**/api/terminal/**", (route) => {
      route.connectToServer();
      sockets.push(route);
    });
    await page.reload();
    await expectPage(page.getByText("Connected.")).toBeVisible();
    await expectPage(linesOf(page, "one-42")).toHaveCount(1);
    // And goes on by itself where it was when its connection was lost.
    const made = sockets.length;
    await sockets.at(-1)?.close({ code: 4000 });
    await expectPage(() => expect(sockets.length).toBeGreaterThan(made)).toPass();
    await expectPage(page.getByText("Connected.")).toBeVisible();
    await page.keyboard.type("python3 -V\n");
    await expectPage(linesOf(page, "python3: command not found")).toHaveCount(1);
    await expectPage(linesOf(page, "PROJECT_RUNTIME=host")).toHaveCount(1);
    await page.keyboard.type("echo three-$((40 + 4))\n");
    await expectPage(linesOf(page, "three-44")).toHaveCount(1);
    await expectPage(linesOf(page, "one-42")).toHaveCount(1);

    await page.keyboard.press("Shift+Tab");
    await expectPage(page.getByLabel("In", { exact: true })).toBeFocused();
    await page.locator(".xterm-helper-textarea").focus();
    await page.keyboard.type("exit 3\n");
    await expectPage(page.getByText("The shell has ended with 3.")).toBeVisible();
  });

  it("opens a link of a program after its whole address was seen, and no script", async () => {
    const page = await openTerminal();
    const asked: string[] = [];
    page.on("dialog", async (dialog) => {
      asked.push(dialog.message());
      await dialog.dismiss();
    });
    const links =
      link("javascript:alert(1)", "SCRIPT") +
      link("https://bank.example@evil.example/\\342\\200\\256x", "SAFE");
    await page.keyboard.type(`clear; printf '${links}'\n`);
    const click = async (words: string) => {
      const line = page.locator(".xterm-rows > div", { hasText: new RegExp(`^${words}\\s*$`, "u") });
      await expectPage(line).toHaveCount(1);
      const { x = 0, y = 0 } = (await line.boundingBox()) ?? {};
      // A link is found while the pointer rests on it, and opened by a click.
      await page.mouse.move(x + 8, y + 8);
      await page.mouse.move(x + 10, y + 8);
      await page.mouse.down();
      await page.mouse.up();
    };
    await click("SCRIPT");
    await expectPage(async () => {
      await click("SAFE");
      expect(asked).not.toEqual([]);
    }).toPass();
    for (const words of asked) expect(words).toMatch(/ https:\/\/evil\.example\/%E2%80%AEx$/u);
  });

  it("has several, keys for a phone, and no serious barrier", async () => {
    const page = await openTerminal({ width: 390, scheme: "dark" });
    const more = page.getByRole("button", { name: "New terminal" });
    // What is typed before the shell's first prompt is shown twice.
    await page.keyboard.type("echo now-$((40 + 2))\n");
    await expectPage(linesOf(page, "now-42")).toHaveCount(1);
    await page.keyboard.type("sleep 600\n");
    await expectPage(linesOf(page, "sleep 600")).toHaveCount(1);
    await page.getByRole("button", { name: "Ctrl-C" }).click();
    await expectPage(linesOf(page, "^C")).toHaveCount(1);
    await page.getByLabel("Screen reader mode").check();
    await expectPage(page.locator(".xterm-accessibility-tree")).toContainText("sleep 600");
    await expectAccessible(page);
    await more.click();
    await expectPage(page.getByRole("button", { name: "2:" }).first()).toHaveAttribute(
      "aria-pressed",
      "true",
    );
    await expectPage(page.locator(".session:not([hidden])")).toHaveCount(1);
    await page.getByRole("button", { name: "Close 2:" }).click();
    await expectPage(page.locator(".session")).toHaveCount(1);
  });
});
