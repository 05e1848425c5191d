import { expect, it } from "vitest";
import { sharedService } from "#test/support/shared-service.ts";
import { call, script } from "#test/support/task-client.ts";
import { composer, newChat } from "./support/chat.ts";
import { serveLongHistory } from "./support/long-history.ts";
import { describeConsole, openPage } from "./support/console.ts";
import { expectPage } from "./support/open-console.ts";

const service = sharedService();

/** Counts changes of the page, and those outside the last task. No frame comes before `LET_COME`. */
const WATCH = `(() => {
  const log = document.querySelector("[role=log]");
  const last = [...document.querySelectorAll(".task")].at(-1);
  const seen = { elsewhere: 0, batches: 0 };
  new MutationObserver((changes) => {
    seen.batches += 1;
    for (const { target } of changes) {
      const task = (target instanceof Element ? target : target.parentElement)?.closest(".task");
      if (task && task !== last) seen.elsewhere += 1;
    }
  }).observe(log, { subtree: true, childList: true, characterData: true, attributes: true });
  const [frame, asked] = [window.requestAnimationFrame, []];
  window.requestAnimationFrame = (call) => asked.push(call);
  window.watched = { seen, asked, frame };
})()`;
const LET_COME = `(() => {
  window.requestAnimationFrame = watched.frame;
  for (const call of watched.asked) requestAnimationFrame(call);
})()`;

describeConsole("a chat of 10,000 tool calls", () => {
  it("has few elements, and renders what comes alone", async () => {
    const account = await service.signUp();
    const { token } = account;
    const { id: project } = await service.newProject(token);
    const chat = await newChat(service, token, { project_id: project });
    const { page } = await openPage(service, { account, path: null });
    await serveLongHistory(page, chat, 10_000);
    await page.goto(`/app/projects/${project}/chats/${chat}`);
    await expectPage(page.getByText("echo 9999", { exact: true })).toBeVisible();

    const words = Array.from({ length: 150 }, (_, index) => `word${index}`).join(" ");
    const asked = { text: "I ask.", tools: [call("write_file", { file_path: "a.txt", content: "a" })] };
    await composer(page).fill(script(asked, { text: words, chunks: 150, delay_ms: 20 }));
    await page.getByRole("button", { name: "Send" }).click();
    // The words come once all is ready to watch them.
    await expectPage(page.getByRole("button", { name: "Allow once" })).toBeVisible();
    await page.evaluate(WATCH);
    // Once a task is over, the page has taken its words, and reads the messages again.
    const isOver = page.waitForRequest("**/messages?*");
    await page.getByRole("button", { name: "Allow once" }).click();
    await isOver;
    await page.evaluate(LET_COME);
    await expectPage(page.locator(".markdown").last()).toContainText("word149");
    const { elsewhere, batches } = await page.evaluate<{ elsewhere: number; batches: number }>(
      "watched.seen",
    );
    expect(elsewhere).toBe(0);
    // All of them change the text once, and then what says that the agent is at work.
    expect(batches).toBeLessThanOrEqual(8);
    const elements = await page.evaluate<number>("document.querySelectorAll('*').length");
    expect(elements).toBeLessThanOrEqual(5_000);
  });
});
