import { chromium, type Browser, type BrowserContext } from "@playwright/test";
import { vi } from "vitest";
import { findProgram } from "./find-program.ts";
import { WAIT_HANGS_MS } from "./hangs.ts";
import { shared } from "./shared-browser.ts";

/** The first one draws no window of its own, for which the others spend a quarter of their time. */
const NAMES = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"];

/** The browser of this machine: CHROMIUM_PATH, else the first of the usual names; `undefined` where there is none. */
export const CHROMIUM = process.env["CHROMIUM_PATH"] ?? findProgram(...NAMES);

/** As root it needs no sandbox of its own; the others keep it from calling home, which a closed network answers late. */
const ARGUMENTS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** The browser of this process. Playwright ends it when the process ends. */
let launched: Promise<Browser> | undefined;

async function launch(): Promise<Browser> {
  if (CHROMIUM === undefined) throw new Error("There is no Chromium");
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ARGUMENTS });
  browser.on("disconnected", () => {
    launched = undefined;
  });
  shared.end = async () => browser.close();
  return browser;
}

/**
 * A browser without a window, for the tests of one file. The files of a worker follow one another and share its browser, because
 * a launch takes a second: `close` ends what the file opened there.
 */
export async function launchBrowser(): Promise<Browser> {
  const browser = await (launched ??= launch());
  shared.isUsed = true;
  const close = async () => {
    await Promise.all(browser.contexts().map((context) => context.close()));
  };
  return new Proxy(browser, {
    get: (target, name): unknown => (name === "close" ? close : Reflect.get(target, name)),
  });
}

/** One tab, with cookies of its own. */
export interface Tab {
  go(url: string): Promise<void>;
  /** The value of a JavaScript expression in the page, promises awaited. */
  read(expression: string): Promise<unknown>;
  /** Wait until an expression is true, over reloads. */
  until(expression: string): Promise<void>;
  /** Write into a field as a person does. */
  type(selector: string, text: string): Promise<void>;
  click(selector: string): Promise<void>;
  /** Lose a cookie, as when its time is over. */
  forgetCookie(name: string): Promise<void>;
  /** Another tab of the same person: it shares the cookies. */
  another(): Promise<Tab>;
  /** What the page complained about: errors, and what its policy forbade. */
  complaints: string[];
}

/** A browser whose tabs have cookies of their own. `bypassCSP` loads pages without their policy, as a page with another one. */
export async function startChromium() {
  const browser = await launchBrowser();
  return {
    newTab: async (options: { bypassCSP?: boolean } = {}) => tabOf(await browser.newContext(options)),
    close: () => browser.close(),
  };
}

async function tabOf(context: BrowserContext): Promise<Tab> {
  const page = await context.newPage();
  page.setDefaultTimeout(WAIT_HANGS_MS);
  const complaints: string[] = [];
  page.on("pageerror", ({ message }) => complaints.push(message));
  page.on("console", (message) => {
    // The browser notes every refusal as an error; a page that shows it has done its work.
    if (message.type() === "error" && !message.text().startsWith("Failed to load resource"))
      complaints.push(message.text());
  });
  const read = (expression: string) => page.evaluate<unknown>(expression);
  return {
    complaints,
    read,
    // In the middle of a navigation there is no page to ask.
    until: async (expression) => {
      try {
        await vi.waitUntil(() => read(expression).catch(() => false), { interval: 50 });
      } catch {
        const seen = await read("location.href + ' ' + document.body.innerText").catch(String);
        throw new Error(`Never true in the page: ${expression}. The page shows: ${String(seen)}`);
      }
    },
    go: async (url) => void (await page.goto(url)),
    type: (selector, text) => page.locator(selector).first().fill(text),
    click: (selector) => page.locator(selector).first().click(),
    forgetCookie: (name) => context.clearCookies({ name }),
    another: () => tabOf(context),
  };
}
