import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { readAddresses } from "#local/addresses.ts";
import { launchBrowser } from "#test/support/chromium.ts";
import { startService } from "../service.ts";
import { Camera, WIDTHS } from "./camera.ts";
import { fill } from "./content/index.ts";
import { TALKS } from "./content/talks.ts";
import { startModel } from "./model.ts";
import { laySheets } from "./sheets.ts";
import { viewsOf } from "./views.ts";

/** Git-ignored. */
const FOLDER = path.resolve("screenshots");

const say = (line: string): void => void process.stdout.write(`${line}\n`);

/**
 * `npm run screenshots [-- --only chat,files] [-- --widths 390]`: starts the service on data of its own, fills it, and takes a
 * screenshot of every page of the console and of its states, on three widths, light and dark. `--only` takes the views whose name
 * begins so. Fails when a page had an error.
 */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { only: { type: "string" }, widths: { type: "string" } },
  });
  const widths = WIDTHS.filter((width) => values.widths?.split(",").includes(String(width)) ?? true);
  const names = values.only?.split(",");
  const dataDir = mkdtempSync(path.join(tmpdir(), "workspace-screenshots-"));
  process.once("exit", () => rmSync(dataDir, { recursive: true, force: true }));
  // With this process end those that it started.
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));
  const model = await startModel(TALKS);
  const service = await startService(dataDir, model.variables);
  const browser = await launchBrowser();
  try {
    const content = await fill(readAddresses(dataDir));
    say(`The service is filled: ${service.url}`);
    const { owner, viewer, newcomer } = content;
    const accounts = { owner: owner.account, viewer, newcomer };
    const camera = new Camera(browser, { url: service.url, folder: FOLDER, accounts, widths });
    const views = viewsOf(content).filter(
      ({ name }) => names === undefined || names.some((each) => name.startsWith(each)),
    );
    for (const [index, view] of views.entries()) {
      await camera.take(view);
      say(`${index + 1} of ${views.length}: ${view.name}`);
    }
    const sheets = await laySheets(browser, FOLDER, camera.taken);
    say(`${camera.taken.length} screenshots and ${sheets} sheets: ${FOLDER}`);
    for (const complaint of camera.complaints) process.stderr.write(`${complaint}\n`);
    if (camera.complaints.length > 0) process.exitCode = 1;
  } finally {
    await browser.close();
    await service.stop();
    await model.close();
  }
}

await main();
// The browser that tests share outlives its `close`, and would keep this process: it ends with it.
process.exit();
