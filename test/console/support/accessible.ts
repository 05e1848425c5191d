import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "@playwright/test";
import { expect } from "vitest";
import { some } from "#test/support/draw.ts";
import { expectPage } from "./open-console.ts";

/** Fails where a page has a barrier as it is shown now, or is wider than its window; `name` says which page. */
export async function expectAccessible(page: Page, name = page.url()): Promise<void> {
  const { violations } = await analyze(page);
  expect([name, violations.map(({ id, nodes }) => [id, nodes[0]?.html])]).toEqual([name, []]);
  const overflow = await page.evaluate<number>(
    "Math.max(...[document.documentElement, document.querySelector('main')].map((each) => each.scrollWidth - each.clientWidth))",
  );
  expect([name, overflow]).toEqual([name, 0]);
}

type Analysis = Awaited<ReturnType<AxeBuilder["analyze"]>>;

/** Loads axe into a page once, and has it tell only what is wrong: the rest takes three times as long. */
async function analyze(page: Page): Promise<Analysis> {
  const options = { resultTypes: ["violations" as const] };
  if (await page.evaluate<boolean>("'axe' in window")) {
    return page.evaluate<Analysis>(`axe.run(document, ${JSON.stringify(options)})`);
  }
  return new AxeBuilder({ page }).setLegacyMode().options(options).analyze();
}

const VIEWS = [
  [1280, "light"],
  [390, "light"],
  [1280, "dark"],
  [390, "dark"],
] as const;

/** `expectAccessible` of what is shown now, at a size and in a colour scheme that the seed draws; in a long run in each of them. */
export async function expectAccessibleInViews(page: Page, name = page.url()): Promise<void> {
  for (const [width, colorScheme] of some(VIEWS, 1, name.length)) {
    await page.setViewportSize({ width, height: 800 });
    await page.emulateMedia({ colorScheme });
    await expectAccessible(page, `${name}, ${width} wide and ${colorScheme}`);
  }
}

/** Goes to a path of the console as a link in it does, and waits until what it reads is there. */
export async function goTo(page: Page, path: string): Promise<void> {
  await page.evaluate(`history.pushState(null, "", ${JSON.stringify(`/app${path}`)})`);
  await expectPage(page.locator("main :is(h1, [role=alert])").first()).toBeVisible();
  await expectPage(page.locator("main .shape")).toHaveCount(0);
}

/** `expectAccessibleInViews` of one page after the other. */
export async function expectNoBarriers(page: Page, paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    await goTo(page, path);
    await expectAccessibleInViews(page, path);
  }
}
