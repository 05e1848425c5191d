/**
 * A setup file of all tests: what a test waits for may take as long as a busy machine needs. By itself `vi.waitFor` ends after a
 * second, so that a loaded machine decides. A wait that hangs still ends, before its test does, and says what it waited for.
 */
import { vi } from "vitest";
import { WAIT_HANGS_MS } from "./hangs.ts";

type Options = Parameters<typeof vi.waitFor>[1];

const { waitFor, waitUntil } = vi;
vi.waitFor = (callback, options) => waitFor(callback, patient(options));
vi.waitUntil = (callback, options) => waitUntil(callback, patient(options));

function patient(options: Options): Options {
  return typeof options === "number" ? options : { timeout: WAIT_HANGS_MS, ...options };
}
