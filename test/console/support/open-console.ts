import { expect, type Browser, type Page } from "@playwright/test";
import type { Account, ApiClient } from "#test/support/api-client.ts";
import { WAIT_HANGS_MS } from "#test/support/hangs.ts";

export { launchBrowser } from "#test/support/chromium.ts";

/** Playwright's `expect`, which waits until what it says of a page is so. */
export const expectPage = expect.configure({ timeout: WAIT_HANGS_MS });

/** A page of the console, and what it complained about: errors, refusals of its policy, requests to elsewhere. */
export interface ConsolePage {
  readonly page: Page;
  readonly complaints: string[];
}

export interface OpenOptions {
  readonly width?: number;
  readonly scheme?: "light" | "dark";
  /** Who is signed in; without one, the page is a visitor's. */
  readonly account?: Pick<Account, "token">;
  /** Below `/app`; `null` leaves the page empty, for what is to be set up before its first load. */
  readonly path?: string | null;
  /** Another name of the service's host, for what browsers allow at one of them alone. */
  readonly origin?: string;
  /** Instead of a path: an address of the service. */
  readonly address?: string;
  /** `false` lets a test act while something of the page is still being read. */
  readonly waitsForReads?: boolean;
}

/** A new browser profile, with a page of the console at a path. */
export async function openConsole(
  browser: Browser,
  service: ApiClient,
  {
    width = 1280,
    scheme = "light",
    account,
    path = "",
    origin: own = service.url,
    address,
    waitsForReads = true,
  }: OpenOptions = {},
): Promise<ConsolePage> {
  const context = await browser.newContext({
    viewport: { width, height: 800 },
    colorScheme: scheme,
    // What fades in has less contrast until it is there.
    reducedMotion: "reduce",
    baseURL: own,
  });
  context.setDefaultTimeout(WAIT_HANGS_MS);
  const page = await context.newPage();
  // What comes moves what is below it, and a button that moves under a press gets no click: as a person would, each
  // step and each look at the page waits until nothing of it is still being read.
  const reading = page.getByLabel("Loading", { exact: true }).first();
  if (waitsForReads) await page.addLocatorHandler(reading, async () => {});
  const complaints: string[] = [];
  page.on("console", (message) => {
    // A refused request is told by the page itself.
    if (message.type() === "error" && !message.text().startsWith("Failed to load resource")) {
      complaints.push(message.text());
    }
  });
  page.on("pageerror", ({ message }) => complaints.push(message));
  page.on("request", (request) => {
    const { origin, protocol } = new URL(request.url());
    if (origin !== own && protocol.startsWith("http")) complaints.push(`asked ${request.url()}`);
  });
  // As a sign-in leaves it: the form itself is tried in pages.test.ts.
  if (account) await context.addCookies([{ name: "session", value: account.token, url: own }]);
  if (address !== undefined || path !== null) await page.goto(address ?? `/app${path}`);
  return { page, complaints };
}
