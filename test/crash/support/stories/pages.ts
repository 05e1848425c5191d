import type { Page } from "@playwright/test";
import { expect } from "vitest";
import { expectPage, launchBrowser, openConsole } from "#test/console/support/open-console.ts";
import { WAIT_HANGS_MS } from "#test/support/hangs.ts";
import { call, script } from "#test/support/task-client.ts";
import type { Story, World } from "./story.ts";

const WORDS = 60;
const patient = { timeout: WAIT_HANGS_MS };

/** What the agent says in a chat, in pieces of a word. */
const words = (chat: number) => Array.from({ length: WORDS }, (_, nth) => `word${chat}-${nth}`).join(" ");

/** The lines of a terminal's screen that have this text. */
const linesOf = (page: Page, text: string) => page.locator(".xterm-rows > div", { hasText: text });

/** Counts how often a page is loaded from now on. */
function countLoads(page: Page): () => number {
  let count = 0;
  page.on("load", () => (count += 1));
  return () => count;
}

async function write(page: Page, message: string): Promise<void> {
  await page.getByLabel("Message the agent").fill(message);
  await page.getByRole("button", { name: "Send" }).click();
}

/**
 * Pages of the console: a terminal, a question, an answer that is streamed, and a message that was just sent. The answer, of 15
 * seconds, begins before the kill `begins`: a task ends after five attempts without progress, so it cannot outlive many.
 */
export async function pages(
  { api }: World,
  { begins }: { begins: number },
): Promise<Story & { close(): Promise<void> }> {
  const account = await api.signUp();
  const { id: project } = await api.newProject(account.token);
  const newChat = async () => {
    const json = { project_id: project };
    const { body } = await api.call<{ id: string }>("POST", "/api/chat", { token: account.token, json });
    return `/chats/${body.id}`;
  };
  const path = `/projects/${project}`;
  const browser = await launchBrowser();
  const { page: terminal } = await openConsole(browser, api, { account, path: `${path}/terminal` });
  // Of the same person: one sign-in does for all.
  const newPage = async () => {
    const page = await terminal.context().newPage();
    await page.goto(`/app${path}${await newChat()}`);
    return page;
  };
  const [ask, send, stream] = [await newPage(), await newPage(), await newPage()];
  const loads = [terminal, ask, send, stream].map(countLoads);

  await terminal.getByRole("button", { name: "Start" }).click();
  await expectPage(terminal.getByText("Connected.")).toBeVisible();
  await terminal.keyboard.type("echo one-$((40 + 2))\n");
  await expectPage(linesOf(terminal, "one-42")).toHaveCount(1);
  const write_file = call("write_file", { file_path: "a.txt", content: "a" });
  await write(ask, script({ text: "First", tools: [write_file] }, { text: "Written." }));
  await expectPage(ask.getByRole("button", { name: "Allow once" })).toBeVisible();

  let kills = 0;
  return {
    async beforeKill() {
      kills += 1;
      if (kills !== begins) return;
      await write(stream, script({ text: words(0), chunks: WORDS, delay_ms: 250 }));
      await expectPage(stream.locator(".markdown")).toContainText("word0-3 ");
      await write(send, script({ text: "Here it is." }));
    },
    async gone(kill) {
      if (kill === 1) await expectPage(terminal.getByText("Offline.")).toBeVisible();
    },
    async verify() {
      // What the agent said: the messages, which are shown until the service takes them, have the same words.
      await expectPage(send.locator(".markdown")).toContainText("Here it is.", patient);
      await expectPage(stream.locator(".markdown")).toContainText(`word0-${WORDS - 1}`, patient);
      await ask.getByRole("button", { name: "Allow once" }).click(patient);
      await expectPage(ask.locator(".markdown").last()).toContainText("Written.", patient);
      for (const page of [ask, send, stream]) {
        await expectPage(page.locator(".task")).toHaveCount(1);
        await expectPage(page.getByRole("button", { name: "Stop" })).toHaveCount(0, patient);
      }
      // What was streamed gives way to what is stored.
      await expect.poll(() => stream.locator(".markdown").allInnerTexts()).toEqual([words(0)]);
      const tasks = await api.call("GET", "/api/chat/agent/tasks", { token: account.token });
      expect(tasks.body).toMatchObject({ total: 3 });

      // Its program was a process of the service, and died with it: the page says so, and keeps what was put out.
      // Where it was killed again before the page had looked, the session is gone, too.
      await expectPage(terminal.getByText(/The (?:shell|session) has ended\./u)).toBeVisible(patient);
      await expectPage(linesOf(terminal, "one-42")).toHaveCount(1);
      await terminal.locator(".session").getByRole("button", { name: "New terminal" }).click();
      await expectPage(terminal.getByText("Connected.")).toBeVisible(patient);
      await terminal.keyboard.type("echo two-$((40 + 3))\n");
      await expectPage(linesOf(terminal, "two-43")).toHaveCount(1);
      expect(loads.map((count) => count())).toEqual(loads.map(() => 0));
    },
    close: () => browser.close(),
  };
}
