import { mkdirSync } from "node:fs";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Browser, Page } from "@playwright/test";
import { apiClient, type Account } from "#test/support/api-client.ts";
import { expectPage, openConsole, type ConsolePage } from "#test/console/support/open-console.ts";
import type { View } from "./views.ts";

/** Of a phone, a tablet and a desk. */
export const WIDTHS: readonly number[] = [390, 820, 1440];
export const SCHEMES = ["light", "dark"] as const;

const HEIGHTS: Readonly<Record<number, number>> = { 390: 844, 820: 1_180, 1440: 900 };
/** A page that is longer is cut there. */
const MAX_HEIGHT = 2_400;
/** For what appears late by itself: a plot, a frame, the caret of an editor. */
const SETTLE_MS = 150;

export interface Screenshot {
  readonly view: string;
  readonly width: number;
  readonly scheme: string;
  /** Below the folder of the screenshots. */
  readonly file: string;
}

type Accounts = Readonly<Record<string, Account>>;

/** Takes screenshots of views, each as the person who looks at it. */
export class Camera {
  readonly #browser: Browser;
  readonly #url: string;
  readonly #folder: string;
  readonly #accounts: Accounts;
  readonly #widths: readonly number[];
  readonly #pages = new Map<string, ConsolePage>();
  readonly taken: Screenshot[] = [];
  /** What pages complained about, with the name of the view. */
  readonly complaints: string[] = [];

  constructor(
    browser: Browser,
    { url, folder, accounts, widths }: { url: string; folder: string; accounts: Accounts; widths: number[] },
  ) {
    this.#browser = browser;
    this.#url = url;
    this.#folder = folder;
    this.#accounts = accounts;
    this.#widths = widths;
    mkdirSync(folder, { recursive: true });
  }

  /** Every width in both schemes. A view that cannot be made is a complaint, and the next one is taken. */
  async take(view: View): Promise<void> {
    const { page, complaints } = await this.#pageOf(view.as ?? "owner");
    try {
      // As on a phone, where a strip of tabs is scrolled when it is opened.
      await page.setViewportSize({ width: 390, height: 844 });
      await view.before?.(page);
      await page.goto(`/app${view.path}`);
      if (!view.isLoading) await isThere(page);
      await view.act?.(page);
      for (const width of this.#widths) {
        for (const scheme of SCHEMES) await this.#shoot(page, view.name, width, scheme);
      }
    } catch (error) {
      this.complaints.push(`${view.name}: ${error instanceof Error ? error.message : String(error)}`);
    } finally {
      await page.unrouteAll({ behavior: "ignoreErrors" });
      await page.context().setOffline(false);
    }
    for (const complaint of complaints.splice(0)) {
      // A preview is framed from a host of its own, and a browser without a network says so.
      if (!complaint.startsWith("asked ") && !complaint.includes("net::ERR_INTERNET_DISCONNECTED"))
        this.complaints.push(`${view.name}: ${complaint}`);
    }
  }

  async #pageOf(viewer: string): Promise<ConsolePage> {
    const known = this.#pages.get(viewer);
    if (known) return known;
    const account = this.#accounts[viewer];
    const made = await openConsole(this.#browser, apiClient(this.#url), { ...(account && { account }) });
    this.#pages.set(viewer, made);
    return made;
  }

  async #shoot(page: Page, view: string, width: number, scheme: "light" | "dark"): Promise<void> {
    const height = HEIGHTS[width] ?? 900;
    await page.emulateMedia({ colorScheme: scheme });
    await page.setViewportSize({ width, height });
    // The page scrolls in its own box, which is made as high as what it holds.
    const hidden = await page.evaluate<number>(
      "(() => { const main = document.querySelector('main'); return main ? main.scrollHeight - main.clientHeight : 0; })()",
    );
    if (hidden > 0) await page.setViewportSize({ width, height: Math.min(MAX_HEIGHT, height + hidden) });
    await pause(SETTLE_MS);
    const file = `${width}-${scheme}-${view}.png`;
    await page.screenshot({ path: path.join(this.#folder, file) });
    this.taken.push({ view, width, scheme, file });
  }
}

async function isThere(page: Page): Promise<void> {
  await expectPage(page.locator("main :is(h1, [role=alert])").first()).toBeVisible();
  await expectPage(page.locator("main .shape")).toHaveCount(0);
  await page.waitForLoadState("networkidle");
}
