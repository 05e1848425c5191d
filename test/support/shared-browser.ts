/**
 * The browser that the files of a worker share: whether the present file uses it, and how to end it. Apart from `chromium.ts`, which
 * loads Playwright.
 */
export const shared: { isUsed: boolean; end: (() => Promise<void>) | undefined } = {
  isUsed: false,
  end: undefined,
};

/** Ends a browser of 80 MiB that the file before did not use; most often the next file of a folder uses it again. */
export async function endUnusedBrowser(): Promise<void> {
  if (!shared.isUsed) {
    await shared.end?.();
    shared.end = undefined;
  }
  shared.isUsed = false;
}
