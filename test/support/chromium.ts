import { clearTimeout, setTimeout } from "node:timers";
import { chromium, type Browser, type BrowserContext, type BrowserContextOptions } from "@playwright/test";
import { vi } from "vitest";
import { findProgram } from "./find-program.ts";
import { WAIT_HANGS_MS } from "./hangs.ts";

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

/** A browser has six processes and 80 MiB. The next file of a worker most often has one again: those of a folder follow one another. */
const KEPT_MS = 10_000;

/** The browser of this process. Playwright ends it when the process ends. */
let launched: Promise<Browser> | undefined;
/** How many contexts it has, with those that are being opened. */
let used = 0;
/** Ends it when it has had none for a while. */
let ending: NodeJS.Timeout | undefined;

async function launch(): Promise<Browser> {
  if (CHROMIUM === undefined) throw new Error("There is no Chromium");
  return chromium.launch({ executablePath: CHROMIUM, args: ARGUMENTS });
}

/** A new one after one that broke. */
async function current(): Promise<Browser> {
  const browser = await (launched ??= launch());
  return browser.isConnected() ? browser : (launched = launch());
}

async function newContext(options?: BrowserContextOptions): Promise<BrowserContext> {
  used += 1;
  clearTimeout(ending);
  try {
    const browser = await current();
    const context = await browser.newContext(options);
    context.once("close", release);
    return context;
  } catch (error) {
    release();
    throw error;
  }
}

function release(): void {
  used -= 1;
  if (used === 0) ending = setTimeout(end, KEPT_MS).unref();
}

function end(): void {
  const ended = launched;
  launched = undefined;
  void ended?.then((browser) => browser.close());
}

async function closeContexts(): Promise<void> {
  const browser = await launched;
  await Promise.all((browser?.contexts() ?? []).map((context) => context.close()));
}

/** What a shared browser does otherwise. */
const SHARED: Readonly<Record<PropertyKey, unknown>> = { newContext, close: closeContexts };

/**
 * A browser without a window, for the tests of one file. The files of a worker follow one another and share its browser, because
 * a launch takes a second: `close` ends what the file opened there. It has ended and begins anew where nothing was open for a while.
 */
export async function launchBrowser(): Promise<Browser> {
  return new Proxy(await current(), {
    get: (target, name): unknown => SHARED[name] ?? Reflect.get(target, name),
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
