import { launch } from "puppeteer-core";
import { expect, it, onTestFinished } from "vitest";
import { findProgram } from "#test/support/find-program.ts";
import { WAIT_HANGS_MS } from "#test/support/hangs.ts";
import { sharedService } from "#test/support/shared-service.ts";

/** Another engine than that of all other tests. Playwright needs a Firefox of its own make: this one is as people have it. */
const FIREFOX = process.env["FIREFOX_PATH"] ?? findProgram("firefox-esr", "firefox");

const service = sharedService();

/** Presses the button or link of this name, and is true where there is one. */
const pressed = (name: string) => `(() => {
  const all = document.querySelectorAll("main button:enabled, main a");
  const found = Array.from(all).find((each) => each.innerText.trim() === ${JSON.stringify(name)});
  found?.click();
  return found !== undefined;
})()`;

it.skipIf(FIREFOX === undefined)("a first project is made and previewed in Firefox, too", async () => {
  const { token } = await service.signUp();
  const browser = await launch({
    browser: "firefox",
    executablePath: FIREFOX ?? "",
    headless: true,
    timeout: WAIT_HANGS_MS,
    protocolTimeout: WAIT_HANGS_MS,
  });
  onTestFinished(() => browser.close());
  await browser.setCookie({ name: "session", value: token, domain: new URL(service.url).hostname });
  const page = await browser.newPage();
  page.setDefaultTimeout(WAIT_HANGS_MS);
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
  // By the page itself: on a busy machine a button may have moved away from the pointer by the time that the pointer is pressed.
  const press = (name: string) => page.waitForFunction(pressed(name));

  await page.goto(`${service.url}/app/projects/new`);
  await press("A web page");
  await press("Create project");
  await press("Allow once");
  await page.locator("::-p-text(I am the demo model and follow)").wait();
  await press("Preview");
  await press("Start");
  await press("Show the project’s files");
  // The session is sent with no redirect from a preview, which is another site on the local machine.
  const frame = await page.waitForFrame(async (each) => {
    if (each === page.mainFrame()) return false;
    // One that is not loaded yet has none.
    return (await each.evaluate("document.querySelector('h1').textContent").catch(() => "")) === "To do";
  });
  expect(new URL(frame.url()).pathname).toBe("/");
  expect(complaints).toEqual([]);
});
