import type { CDPSession, Page } from "@playwright/test";
import type { Figure } from "../measurement.ts";
import { p50, p95 } from "../statistics.ts";

/** How much slower the processor is made than this machine's, as on a phone. */
const SLOWER = 4;
/** Milliseconds between two keys of a person who types fast. */
const KEY_MS = 60;
const VISITS = 5;

/** Times in a page, taken by the page itself: what is measured does not cross to this process. */
export class PageClock {
  readonly page: Page;
  readonly #session: CDPSession;

  private constructor(page: Page, session: CDPSession) {
    this.page = page;
    this.#session = session;
  }

  static async on(page: Page): Promise<PageClock> {
    const session = await page.context().newCDPSession(page);
    await page.addInitScript(CLOCK);
    await session.send("HeapProfiler.enable");
    return new PageClock(page, session);
  }

  /**
   * Milliseconds from the beginning of each visit until a frame has the wanted lines, with nothing of the service in the
   * browser's store. `lines` selects them, the last one has the text, and `count` is how many there are at least.
   */
  async visits(path: string, wanted: { lines: string; text: string; count: number }): Promise<number[]> {
    await this.page.addInitScript(`clock.waitFor(${JSON.stringify(wanted)})`);
    const visits: number[] = [];
    for (let visit = 0; visit < VISITS; visit += 1) {
      await this.#session.send("Network.clearBrowserCache");
      await this.page.goto(`/app${path}`);
      visits.push(await this.page.evaluate<number>("clock.seen"));
    }
    return visits;
  }

  /** Types on the slowed processor. Returns milliseconds from each key until the frame with it is made. */
  async type(text: string): Promise<number[]> {
    await this.page.evaluate("clock.keys.length = 0");
    await this.#session.send("Emulation.setCPUThrottlingRate", { rate: SLOWER });
    await this.page.keyboard.type(text, { delay: KEY_MS });
    await this.#session.send("Emulation.setCPUThrottlingRate", { rate: 1 });
    return this.page.evaluate<number[]>("clock.keys");
  }

  /** Milliseconds from each press of a pointer until the frame after it is made, since this was asked last. */
  async presses(): Promise<number[]> {
    return this.page.evaluate<number[]>("clock.presses.splice(0)");
  }

  /** The longest task since this was asked last, in milliseconds; 0 if none took 50. */
  async longestTask(): Promise<number> {
    return this.page.evaluate<number>("Math.max(0, ...clock.tasks.splice(0))");
  }

  /** Scrolls a box from its beginning to its end. Returns milliseconds between frames. */
  async scroll(box: string): Promise<number[]> {
    return this.page.evaluate<number[]>(`clock.scroll(document.querySelector(${JSON.stringify(box)}))`);
  }

  /** What the page holds now. */
  async weight(): Promise<Figure[]> {
    await this.#session.send("HeapProfiler.collectGarbage");
    const { usedSize } = await this.#session.send("Runtime.getHeapUsage");
    const elements = await this.page.evaluate<number>("document.querySelectorAll('*').length");
    return [
      { what: "heap after a collection", value: usedSize / 2 ** 20, unit: "MiB" },
      { what: "elements", value: elements, unit: "" },
    ];
  }
}

/** Figures of keys that were typed on the slowed processor. */
export function keyFigures(keys: readonly number[], longest: number): Figure[] {
  return [
    { what: "key to paint, p50", value: p50(keys), unit: "ms" },
    { what: "key to paint, p95", value: p95(keys), unit: "ms", goal: { atMost: 100 } },
    { what: "longest task while typing", value: longest, unit: "ms" },
  ];
}

/** A frame is made when the task after it begins. */
const CLOCK = `(() => {
  const clock = { tasks: [], keys: [], presses: [] };
  window.clock = clock;
  const afterFrame = (act) => requestAnimationFrame(() => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => act(performance.now());
    port2.postMessage(0);
  });
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) clock.tasks.push(duration);
  }).observe({ type: "longtask", buffered: true });
  const timing = (list) => ({ timeStamp }) => afterFrame((now) => list.push(now - timeStamp));
  addEventListener("keydown", timing(clock.keys), true);
  addEventListener("pointerdown", timing(clock.presses), true);
  clock.waitFor = ({ lines, text, count }) => {
    const seen = Promise.withResolvers();
    clock.seen = seen.promise;
    const observer = new MutationObserver(() => {
      const found = document.querySelectorAll(lines);
      if (found.length < count || !found[found.length - 1].textContent.includes(text)) return;
      observer.disconnect();
      afterFrame(seen.resolve);
    });
    observer.observe(document, { subtree: true, childList: true, characterData: true });
  };
  clock.scroll = async (box) => {
    const frames = [];
    const steps = 120;
    let before = performance.now();
    for (let step = 1; step <= steps; step += 1) {
      box.scrollTop = ((box.scrollHeight - box.clientHeight) * step) / steps;
      const now = await new Promise(requestAnimationFrame);
      frames.push(now - before);
      before = now;
    }
    return frames;
  };
})()`;
