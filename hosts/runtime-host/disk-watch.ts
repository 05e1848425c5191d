import { statfs } from "node:fs/promises";
import { measureDisk } from "./disk.ts";
import { MAX_ENTRIES } from "./limits.ts";

/** A project is measured when its file system has lost this much space since the last time, or after a while. */
const STEP_BYTES = 16 * 1024 * 1024;
const STEP_ENTRIES = 10_000;
const EVERY_MS = 30_000;
/** Measuring a large tree takes at most this share of the time. */
const SHARE = 0.1;

/** Disk usage of a project, measured as rarely as the free space allows. */
export class DiskWatch {
  readonly #dir: string;
  readonly #limitBytes: number;
  #free: { bytes: number; entries: number } | undefined;
  #measuredAt = 0;
  #notBefore = 0;
  /**
   * Lowest usage since the project exceeded its limit: from then on only growth counts as an offence, so that users can
   * clean up.
   */
  #over: number | undefined;

  constructor(dir: string, limitBytes: number) {
    this.#dir = dir;
    this.#limitBytes = limitBytes;
  }

  get isOver(): boolean {
    return this.#over !== undefined;
  }

  /** Measures at the next check: files may have been removed. */
  expectChange(): void {
    this.#free = undefined;
  }

  /** Returns whether the project has grown above its limit since the last check, or further above it. */
  async look(): Promise<boolean> {
    const now = Date.now();
    if (now < this.#notBefore) return false;
    const { bavail, bsize, ffree } = await statfs(this.#dir);
    const free = { bytes: bavail * bsize, entries: ffree };
    const isFirst = this.#measuredAt === 0;
    if (!this.#mayHaveChanged(free) && now - this.#measuredAt < EVERY_MS) return false;
    this.#free = free;
    const use = await measureDisk(this.#dir);
    this.#measuredAt = Date.now();
    this.#notBefore = this.#measuredAt + (this.#measuredAt - now) * (1 / SHARE - 1);
    if (!use) return false;
    const before = this.#over;
    const isOver = use.bytes > this.#limitBytes || use.entries > MAX_ENTRIES;
    this.#over = isOver ? Math.min(use.bytes, before ?? use.bytes) : undefined;
    if (!isOver || isFirst) return false;
    return before === undefined || use.bytes - before >= STEP_BYTES;
  }

  #mayHaveChanged(free: { bytes: number; entries: number }): boolean {
    if (this.#free === undefined || this.#over !== undefined) return true;
    return this.#free.bytes - free.bytes >= STEP_BYTES || this.#free.entries - free.entries >= STEP_ENTRIES;
  }
}
