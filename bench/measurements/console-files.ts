import { apiClient } from "#test/support/api-client.ts";
import { CHROMIUM, launchBrowser } from "#test/support/chromium.ts";
import { openConsole } from "#test/console/support/open-console.ts";
import { keyFigures, PageClock } from "../console/page-clock.ts";
import { NotPossible, type Figure, type Measurement } from "../measurement.ts";
import { p50, p95 } from "../statistics.ts";

const DIRECTORIES = 50;
const DIRECTORIES_OF_COMMAND = 5;
const FILES_OF_DIRECTORY = 100;
/** The tree has the rows near the view in the page, which are more. */
const DIRECTORIES_IN_VIEW = 20;

export const consoleFiles: Measurement = {
  name: "console-files",
  title: "A project of 5,000 files in the console",
  how:
    "In Chromium. A visit without the browser's store, until the frame with the first directories. Then each " +
    "directory is opened, from the last to the first, and the tree is scrolled from its beginning to its end in 120 " +
    "frames. Then a file is looked for by its name on a processor that is four times slower.",
  async run(bench) {
    if (CHROMIUM === undefined) throw new NotPossible("there is no Chromium; CHROMIUM_PATH names one");
    const { service } = await bench.use();
    const api = apiClient(service.url);
    const account = await api.signUp("bench");
    const { token } = account;
    const { id: project } = await api.newProject(token);
    // A person may run 30 commands a minute.
    for (let first = 1; first <= DIRECTORIES; first += DIRECTORIES_OF_COMMAND) {
      const command =
        `for d in $(seq ${first} ${first + DIRECTORIES_OF_COMMAND - 1}); do mkdir -p area-$d; ` +
        `for i in $(seq 1 ${FILES_OF_DIRECTORY}); do echo $i > area-$d/file-$i.ts; done; done`;
      const json = { project_id: project, command };
      const { status, text } = await api.call("POST", "/api/agent/execute", { token, json });
      if (status !== 200) throw new Error(`The files were not made: ${text}`);
    }
    const browser = await launchBrowser();
    try {
      const { page } = await openConsole(browser, api, { account, path: "/keys" });
      const clock = await PageClock.on(page);
      const tree = { lines: ".tree-entry", text: "area-", count: DIRECTORIES_IN_VIEW };
      const visits = await clock.visits(`/projects/${project}/files`, tree);
      const figures: Figure[] = [
        { what: "visit to the tree, p50", value: p50(visits), unit: "ms", goal: { atMost: 1_000 } },
        { what: "longest task of the last visit", value: await clock.longestTask(), unit: "ms" },
      ];
      await clock.presses();
      // From the end: an opened directory moves those below it out of the page, and those above it stay.
      await clock.scroll(".side");
      const closed = page.locator(".tree-entry[aria-expanded=false]");
      for (let left = DIRECTORIES; left > 0; left -= 1) await closed.last().click();
      await page.evaluate("document.querySelector('.side').scrollTop = 0");
      const presses = await clock.presses();
      figures.push(
        { what: "press on a directory to paint, p50", value: p50(presses), unit: "ms" },
        { what: "press on a directory to paint, longest", value: Math.max(...presses), unit: "ms" },
      );
      const frames = await clock.scroll(".side");
      figures.push(
        { what: "frame while scrolling, p95", value: p95(frames), unit: "ms" },
        { what: "frame while scrolling, longest", value: Math.max(...frames), unit: "ms" },
      );
      figures.push(...(await clock.weight()));
      await page.keyboard.press("Control+p");
      await page.getByRole("combobox", { name: "Open a file by its name" }).waitFor();
      await clock.longestTask();
      const keys = await clock.type("area-37/file-42.ts");
      figures.push(...keyFigures(keys, await clock.longestTask()));
      return figures;
    } finally {
      await browser.close();
    }
  },
};
