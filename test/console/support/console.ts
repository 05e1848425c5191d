import { afterEach, describe, expect, type TestContext } from "vitest";
import type { ApiClient } from "#test/support/api-client.ts";
import { CHROMIUM, launchBrowser } from "#test/support/chromium.ts";
import { openConsole, type ConsolePage, type OpenOptions } from "./open-console.ts";

/** The pages of the running test, and whether they may complain. */
const opened: (ConsolePage & { mayComplain: boolean })[] = [];

/** Tests in the browser of this machine. What a test opened is closed after it, and has to have complained about nothing. */
export function describeConsole(title: string, tests: () => void): void {
  describe.skipIf(CHROMIUM === undefined)(title, () => {
    afterEach(async ({ task }) => {
      const pages = opened.splice(0);
      if (task.result?.state === "fail") await tellOf(pages, task);
      await Promise.all(pages.map(({ page }) => page.context().close()));
      const complaints = pages.filter(({ mayComplain }) => !mayComplain).flatMap((each) => each.complaints);
      expect(complaints).toEqual([]);
    });
    tests();
  });
}

/** Writes what the pages of a test that failed show: what was missing there does not say why. */
async function tellOf(pages: readonly ConsolePage[], { name }: TestContext["task"]): Promise<void> {
  for (const { page, complaints } of pages) {
    const shown = page.locator("body").innerText({ timeout: 5_000 });
    const text = await shown.catch((error: unknown) => String(error));
    process.stderr.write(
      `\nWhat "${name}" saw at its end, at ${page.url()}:\n${text}\n${complaints.join("\n")}\n`,
    );
  }
}

/** A page of the console for the running test; one that loses its network complains about it. */
export async function openPage(
  service: ApiClient,
  { mayComplain = false, ...options }: OpenOptions & { mayComplain?: boolean } = {},
): Promise<ConsolePage> {
  const page = await openConsole(await launchBrowser(), service, options);
  opened.push({ ...page, mayComplain });
  return page;
}
