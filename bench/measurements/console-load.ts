import type { Page } from "@playwright/test";
import { openConsole } from "#test/console/support/open-console.ts";
import { apiClient } from "#test/support/api-client.ts";
import { CHROMIUM, launchBrowser } from "#test/support/chromium.ts";
import { NotPossible, type Measurement } from "../measurement.ts";
import { p50 } from "../statistics.ts";

const VISITS = 5;
const PROJECT = "Compiler";

/** "3G Fast". Source: https://github.com/WPO-Foundation/webpagetest, `www/settings/connectivity.ini.sample` */
const FAST_3G = { latency: 150, downloadThroughput: 1_600_000 / 8, uploadThroughput: 768_000 / 8 };

export const consoleLoad: Measurement = {
  name: "console-load",
  title: "First loads of the console over a slow network",
  how:
    "In Chromium, over a fast 3G network (1.6 Mbit/s, 150 ms), with nothing of the service in the browser's store: from the " +
    "address until the text is there.",
  async run(bench) {
    if (CHROMIUM === undefined) throw new NotPossible("there is no Chromium; CHROMIUM_PATH names one");
    const { service } = await bench.use();
    const api = apiClient(service.url);
    const account = await api.signUp("bench");
    await api.newProject(account.token, PROJECT);
    const browser = await launchBrowser();
    try {
      const visitor = await openConsole(browser, api, { path: null });
      const signIn = await loads(visitor.page, "/", "Username or email address");
      const person = await openConsole(browser, api, { account, path: null });
      const projects = await loads(person.page, "/", PROJECT);
      return [
        { what: "sign-in is readable, p50", value: p50(signIn), unit: "ms", goal: { atMost: 2_000 } },
        { what: "the projects are readable, p50", value: p50(projects), unit: "ms", goal: { atMost: 2_500 } },
      ];
    } finally {
      await browser.close();
    }
  },
};

/** Milliseconds of each visit until a page has a text. */
async function loads(page: Page, path: string, text: string): Promise<number[]> {
  const session = await page.context().newCDPSession(page);
  await session.send("Network.enable");
  await session.send("Network.emulateNetworkConditions", { offline: false, ...FAST_3G });
  const visits: number[] = [];
  for (let visit = 0; visit < VISITS; visit += 1) {
    await session.send("Network.clearBrowserCache");
    const begun = performance.now();
    await page.goto(path, { waitUntil: "commit" });
    await page.getByText(text).first().waitFor();
    visits.push(performance.now() - begun);
  }
  return visits;
}
