import { deepEqual } from "node:assert/strict";
import { afterAll, vi } from "vitest";

/** The files of a worker run in one process and share its modules: what a file changes of these, it puts back. */
const environment = { ...process.env };
const folder = process.cwd();
const { fetch } = globalThis;

/** By name: a value may be a secret of the person who runs the tests. */
function changedVariables(): string[] {
  const names = new Set([...Object.keys(environment), ...Object.keys(process.env)]);
  return [...names].filter((name) => environment[name] !== process.env[name]);
}

afterAll(() => {
  const left = {
    variables: changedVariables(),
    anotherFolder: process.cwd() !== folder,
    anotherFetch: globalThis.fetch !== fetch,
    fakeTimers: vi.isFakeTimers(),
  };
  vi.useRealTimers();
  deepEqual(left, { variables: [], anotherFolder: false, anotherFetch: false, fakeTimers: false });
});
