import type { Page } from "@playwright/test";
import { expect, it } from "vitest";
import { expectPage, launchBrowser, openConsole } from "#test/console/support/open-console.ts";
import { apiClient } from "#test/support/api-client.ts";
import { CHROMIUM } from "#test/support/chromium.ts";
import { call, script } from "#test/support/task-client.ts";
import { mortalService } from "./support/mortal-service.ts";
import { limitFor } from "./support/patience.ts";

const service = mortalService(() => ({
  USER_MAX_CONCURRENT_AGENTS: "100",
  PROJECT_MAX_CONCURRENT_AGENTS: "100",
}));

it.skipIf(CHROMIUM === undefined)(
  "pages of the console show all of it whole and once after the service was killed, without a reload",
  async () => {
    const url = await service.start();
    const api = apiClient(url);
    const account = await api.signUp();
    const { id: project } = await api.newProject(account.token);
    const newChat = async () => {
      const json = { project_id: project };
      const { body } = await api.call<{ id: string }>("POST", "/api/chat", { token: account.token, json });
      return `/chats/${body.id}`;
    };
    const chats = await Promise.all([newChat(), newChat(), newChat(), newChat(), newChat()]);
    const browser = await launchBrowser();
    try {
      const path = `/projects/${project}`;
      const { page: terminal } = await openConsole(
        browser,
        { ...api, url },
        { account, path: `${path}/terminal` },
      );
      // Of the same person: one sign-in does for all.
      const pages = await Promise.all(
        chats.map(async (chat) => {
          const page = await terminal.context().newPage();
          await page.goto(`/app${path}${chat}`);
          return page;
        }),
      );
      const [ask, send, ...streams] = pages;
      if (!ask || !send) throw new Error("There are five pages");
      const loads = pages.concat(terminal).map(countLoads);

      await terminal.getByRole("button", { name: "Start" }).click();
      await terminal.getByRole("button", { name: "New terminal" }).click();
      await expectPage(terminal.getByText("Connected.")).toBeVisible();
      await terminal.keyboard.type("echo one-$((40 + 2))\n");
      await expectPage(linesOf(terminal, "one-42")).toHaveCount(1);
      const write_file = call("write_file", { file_path: "a.txt", content: "a" });
      await write(ask, script({ text: "First", tools: [write_file] }, { text: "Written." }));
      await expectPage(ask.getByRole("button", { name: "Allow once" })).toBeVisible();
      await Promise.all(
        streams.map((page, chat) => write(page, script({ text: words(chat), chunks: 60, delay_ms: 250 }))),
      );
      await Promise.all(
        streams.map((page, chat) => expectPage(page.getByRole("log")).toContainText(`word${chat}-3 `)),
      );
      await write(send, script({ text: "Here it is." }));
      await service.kill();
      await expectPage(terminal.getByText("The connection is lost.")).toBeVisible();
      await service.start();

      const patient = { timeout: 120_000 };
      await expectPage(send.getByRole("log")).toContainText("Here it is.", patient);
      for (const [chat, page] of streams.entries()) {
        await expectPage(page.getByRole("log")).toContainText(`word${chat}-59`, patient);
      }
      await ask.getByRole("button", { name: "Allow once" }).click(patient);
      await expectPage(ask.getByRole("log")).toContainText("Written.", patient);
      for (const page of pages) {
        await expectPage(page.locator(".task")).toHaveCount(1);
        await expectPage(page.getByRole("button", { name: "Stop" })).toHaveCount(0, patient);
      }
      for (const [chat, page] of streams.entries()) {
        expect(await page.locator(".markdown").allInnerTexts()).toEqual([words(chat)]);
      }
      const { body } = await api.call<{ total: number }>("GET", "/api/chat/agent/tasks", {
        token: account.token,
      });
      expect(body.total).toBe(5);

      // Its program was a process of the service, and died with it: the page says so, and keeps what was put out.
      await expectPage(terminal.getByText("The shell has ended.")).toBeVisible(patient);
      await expectPage(linesOf(terminal, "one-42")).toHaveCount(1);
      await terminal.locator(".session").getByRole("button", { name: "New terminal" }).click();
      await expectPage(terminal.getByText("Connected.")).toBeVisible(patient);
      await terminal.keyboard.type("echo two-$((40 + 3))\n");
      await expectPage(linesOf(terminal, "two-43")).toHaveCount(1);
      expect(loads.map((count) => count())).toEqual(loads.map(() => 0));
    } finally {
      await browser.close();
    }
  },
  limitFor(1),
);

/** What the agent says in a chat, in pieces of a word. */
const words = (chat: number) => Array.from({ length: 60 }, (_, index) => `word${chat}-${index}`).join(" ");

/** The lines of a terminal's screen that have this text. */
const linesOf = (page: Page, text: string) => page.locator(".xterm-rows > div", { hasText: text });

/** Counts how often a page is loaded from now on. */
function countLoads(page: Page): () => number {
  let count = 0;
  page.on("load", () => (count += 1));
  return () => count;
}

async function write(page: Page, message: string): Promise<void> {
  await page.getByLabel("Message to the agent").fill(message);
  await page.getByRole("button", { name: "Send" }).click();
}
